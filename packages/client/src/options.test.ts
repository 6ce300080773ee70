import { inspect } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { scriptedGateway } from "../test/scripted-gateway.ts";
import { Holdfast, type HoldfastError, type HoldfastOptions } from "./index.ts";

const apiSecret = "s3cret/with+signs";
const good: HoldfastOptions = { baseUrl: "https://gateway.example/", apiKey: "key-1", apiSecret };
const paymentId = "019f0000-0000-7000-8000-000000000001";

function faultOf(change: object): HoldfastError {
  try {
    void new Holdfast({ ...good, ...change });
  } catch (error) {
    return error as HoldfastError;
  }
  throw new Error("it was accepted");
}

afterEach(() => void vi.unstubAllGlobals());

test.each<[string, object, string]>([
  [
    "a secret as the URL's password",
    { baseUrl: `https://key:${encodeURIComponent(apiSecret)}@g.example` },
    "secret_in_url",
  ],
  ["a secret in the URL's path", { baseUrl: `https://g.example/${apiSecret}` }, "secret_in_url"],
  ["an encoded secret", { baseUrl: `https://g.example/${encodeURIComponent(apiSecret)}` }, "secret_in_url"],
  ["a secret in the query", { baseUrl: `https://g.example/?s=${apiSecret}` }, "secret_in_url"],
  ["any query", { baseUrl: "https://g.example/?a=b" }, "invalid_configuration"],
  ["plain http to another machine", { baseUrl: "http://gateway.example" }, "invalid_configuration"],
  ["another protocol", { baseUrl: "ftp://gateway.example" }, "invalid_configuration"],
  ["no URL", { baseUrl: undefined }, "invalid_configuration"],
  ["a secret that ends in a line break", { apiSecret: `${apiSecret}\n` }, "invalid_configuration"],
  ["no key", { apiKey: undefined }, "invalid_configuration"],
  ["a time-out without an end", { timeoutMs: Number.POSITIVE_INFINITY }, "invalid_configuration"],
  ["retries without an end", { retries: 1_000 }, "invalid_configuration"],
])("%s is refused, and the message does not repeat it", (_name, change, code) => {
  const fault = faultOf(change);
  expect(fault).toMatchObject({ name: "HoldfastError", code });
  expect(inspect(fault)).not.toContain(apiSecret);
});

test.each(["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"])(
  "plain http to this machine is accepted: %s",
  (baseUrl) => {
    expect(new Holdfast({ ...good, baseUrl })).toBeInstanceOf(Holdfast);
  },
);

test("plain http is accepted elsewhere where somebody says so", () => {
  expect(new Holdfast({ ...good, baseUrl: "http://gateway", allowPlainHttp: true })).toBeInstanceOf(Holdfast);
});

test.each([
  ["without a process", undefined],
  ["with the process that a bundler puts there", { env: {}, versions: {} }],
])("a browser is refused, %s", (_case, process) => {
  vi.stubGlobal("window", { document: {} });
  vi.stubGlobal("process", process);
  const fault = faultOf({});
  vi.unstubAllGlobals();
  expect(fault).toMatchObject({ code: "browser_refused" });
});

test("a platform at the edge, with neither a window nor a process, is no browser", () => {
  vi.stubGlobal("process", undefined);
  const accepts = () => new Holdfast(good);
  expect(accepts).not.toThrow();
});

test.each([
  ["undefined", undefined],
  ["null", null],
  ["an object for rendering on a server", {}],
  ["one with a whole document, as in tests under jsdom", { document: {} }],
])("a server may have a window that is %s", (_case, window) => {
  vi.stubGlobal("window", window);
  expect(new Holdfast(good)).toBeInstanceOf(Holdfast);
});

test("a client that is logged shows no secret", () => {
  const holdfast = new Holdfast(good);
  const shown = inspect(holdfast, { depth: 9, showHidden: true }) + JSON.stringify(holdfast);
  expect(shown).not.toContain(apiSecret);
});

test.each<[string, (holdfast: Holdfast) => Promise<unknown>, string]>([
  ["an id that is none", (holdfast) => holdfast.payments.get("../operator"), "invalid_argument"],
  ["a whole card number as a BIN", (holdfast) => holdfast.bins.get("4111111111111111"), "invalid_argument"],
  [
    "a key with a line break",
    (holdfast) => holdfast.payments.cancel(paymentId, {}, { idempotencyKey: "a\nb" }),
    "invalid_argument",
  ],
  [
    "an inexact amount",
    (holdfast) => holdfast.refunds.request(paymentId, { amount: 0.1 + 0.2, currency: "TRY" }),
    "inexact_amount",
  ],
  [
    "a secret in a return address",
    (holdfast) =>
      holdfast.checkouts.create({
        orderId: "1",
        amount: 1,
        currency: "TRY",
        successUrl: "https://shop.example/?s=secret-1",
        failureUrl: "https://shop.example/",
      }),
    "secret_in_url",
  ],
])("%s is refused before anything is sent", async (_name, call, code) => {
  const { holdfast, asked } = scriptedGateway([]);
  await expect(call(holdfast)).rejects.toMatchObject({ name: "HoldfastError", code });
  expect(asked).toEqual([]);
});

test("a redirect is not followed: it would give the secret to whoever it names", async () => {
  const { holdfast, asked } = scriptedGateway(
    [{ status: 307, body: "", headers: { Location: "https://elsewhere.example/" } }],
    { retries: 0 },
  );
  expect(await holdfast.payments.cancel(paymentId)).toMatchObject({ outcome: "unknown" });
  expect(asked).toHaveLength(1);
});
