import type { IncomingMessage } from "node:http";
import { expect, test, vi } from "vitest";
import { createSignInLimits } from "../limits/sign-in-limits.ts";
import { authenticateMerchant } from "./authenticate-merchant.ts";
import type { Exchange } from "../http/exchange.ts";
import { Refusal } from "../http/refusal.ts";

/** The calls that a sign-in with these headers makes, and its outcome. */
async function attempt(headersDistinct: Record<string, string[]>) {
  const verify = vi.fn(async (_apiKey: string, apiSecret: string) =>
    apiSecret === "right" ? { merchantId: "m" } : undefined,
  );
  const exchange = { clientAddress: "203.0.113.7" } as Exchange;
  const limits = createSignInLimits({ perAddress: 60, perKey: 60 });
  const authenticate = authenticateMerchant({ verify, forget: () => {} }, limits);
  const request = { headersDistinct, socket: { remoteAddress: "203.0.113.7" } };
  const refusal = await authenticate(request as unknown as IncomingMessage, exchange);
  return { asked: verify.mock.calls, refusal, exchange };
}

test("one of each header signs in", async () => {
  const { asked, refusal, exchange } = await attempt({ "x-api-key": ["key"], "x-api-secret": ["right"] });
  expect(asked).toEqual([["key", "right", "203.0.113.7"]]);
  expect(refusal).toBeUndefined();
  expect(exchange).toMatchObject({ merchant: { merchantId: "m" }, merchantId: "m" });
});

test.each<[string, Record<string, string[]>]>([
  ["none", {}],
  ["no secret", { "x-api-key": ["key"] }],
  ["no key", { "x-api-secret": ["right"] }],
  ["two keys", { "x-api-key": ["key", "key"], "x-api-secret": ["right"] }],
  ["two secrets", { "x-api-key": ["key"], "x-api-secret": ["right", "right"] }],
])("%s costs the same one check, of nothing, and is refused", async (_case, headers) => {
  const { asked, refusal, exchange } = await attempt(headers);
  expect(asked).toEqual([["", "", "203.0.113.7"]]);
  expect(refusal).toBeInstanceOf(Refusal);
  expect(exchange.merchant).toBeUndefined();
});
