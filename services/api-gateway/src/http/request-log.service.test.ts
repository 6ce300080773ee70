import { eventually } from "@holdfast/tests/support";
import { expect, test } from "vitest";
import { CVV, PAN } from "../../test/builders.ts";
import { JSON_TYPE } from "../../test/test-gateway.ts";
import { usePreAuthorization } from "../../test/use-pre-authorization.ts";

const { on, send, preAuthorize } = usePreAuthorization();

test("an answer that is not of the contract leaves its reason in the log, without its values", async () => {
  on.payments.answers.preAuthorize = async () => ({ outcome: "done", result: { pan: PAN } }) as never;
  await preAuthorize();
  await eventually(() =>
    expect(on.gateway.requestLines()).toMatchObject([{ level: "warn", error: { name: "ZodError" } }]),
  );
  expect(JSON.stringify(on.gateway.lines)).not.toContain(PAN);
});

test("each request leaves one line, with what is needed to find it again and nothing of the card or the secret", async () => {
  on.payments.answers.preAuthorize = async () => Promise.reject(new Error("a bug"));
  await preAuthorize();
  on.payments.answers.preAuthorize = on.usual.preAuthorize;
  await preAuthorize({ cardHolderName: '"Zz Canary"' });
  await preAuthorize({ pan: `"${PAN.slice(0, -1)}2"`, orderId: '""' });
  await send(`{"pan": "${PAN}", "cvv": "${CVV}", }`, JSON_TYPE);
  await on.gateway.merchantApi({
    path: `/api/${PAN}?secret=${on.merchant.apiSecret}`,
    headers: on.merchant.headers,
  });
  await on.gateway.merchantApi({
    path: "/api/payment/x",
    headers: { ...on.merchant.headers, "x-api-secret": on.merchant.apiSecret.slice(1) },
  });
  await eventually(() => expect(on.gateway.requestLines()).toHaveLength(6));

  const text = JSON.stringify(on.gateway.lines);
  for (const canary of [
    PAN,
    PAN.slice(0, -1),
    `"${CVV}"`,
    on.merchant.apiSecret.slice(1),
    "Canary",
    Buffer.from(PAN).toString("base64"),
  ]) {
    expect(text).not.toContain(canary);
  }
  const common = {
    service: "api-gateway",
    listener: "merchant",
    apiKey: on.merchant.apiKey,
    msg: "request",
    requestId: expect.any(String),
    durationMs: expect.any(Number),
  };
  const route = "/api/pre-authorization";
  expect(on.gateway.requestLines()).toMatchObject([
    {
      ...common,
      level: "warn",
      method: "POST",
      route,
      statusCode: 504,
      code: "outcome_unknown",
      merchantId: on.merchant.merchantId,
    },
    {
      ...common,
      level: "info",
      method: "POST",
      route,
      statusCode: 201,
      merchantId: on.merchant.merchantId,
      paymentId: on.payments.received[1]!.payload.paymentId,
    },
    { ...common, level: "info", route, statusCode: 400, code: "validation_failed" },
    { ...common, level: "info", route, statusCode: 400, code: "malformed_json" },
    {
      ...common,
      level: "info",
      method: "GET",
      statusCode: 404,
      code: "route_not_found",
      merchantId: on.merchant.merchantId,
    },
    { ...common, level: "info", method: "GET", statusCode: 401, code: "unauthorized" },
  ]);
});

test("a request that is refused at the sign-in leaves the API key that it came with, if that has the form of a key, and never the secret", async () => {
  const { apiKey, apiSecret } = on.merchant;
  const send = async (headers: Record<string, string | string[]>) => {
    on.gateway.lines.length = 0;
    await on.gateway.merchantApi({ path: "/api/payment/x", headers });
    await eventually(() => expect(on.gateway.requestLines()).toHaveLength(1));
    const [line] = on.gateway.requestLines();
    expect(line).toMatchObject({ statusCode: 401, code: "unauthorized" });
    expect(JSON.stringify(line)).not.toContain(apiSecret);
    return line!["apiKey"];
  };
  const unknown = `hk_live_${"n".repeat(24)}`;
  expect(await send({ "x-api-key": unknown, "x-api-secret": apiSecret })).toBe(unknown);
  expect(await send({ "x-api-key": apiKey, "x-api-secret": "hs_wrong" })).toBe(apiKey);
  expect(await send({ "x-api-key": apiKey })).toBe(apiKey);
  for (const other of [
    [apiKey, unknown],
    apiSecret,
    `hk_live_${PAN}${"x".repeat(8)}`,
    `hk_live_${PAN.replaceAll(/(\d{4})/g, "$1-")}xxxx`,
    `hk_live_${"x".repeat(25)}`,
    "hk_short",
    `${apiKey} "`,
  ]) {
    expect(await send({ "x-api-key": other, "x-api-secret": "hs_wrong" })).toBeUndefined();
  }
  expect(await send({ "x-api-secret": apiSecret })).toBeUndefined();
});
