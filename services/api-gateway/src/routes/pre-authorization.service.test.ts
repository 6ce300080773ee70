import { eventually } from "@holdfast/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CVV, PAN, preAuthorizationBody } from "../../test/builders.ts";
import type { HttpAnswer } from "../../test/http-client.ts";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";
import { recordOf, startTestPayments } from "../../test/test-payments.ts";

let gateway: TestGateway;
let payments: Awaited<ReturnType<typeof startTestPayments>>;
let merchant: TestMerchant;
let usual: (typeof payments)["answers"];

beforeAll(async () => {
  gateway = await startTestGateway();
  payments = await startTestPayments(gateway.nats.url);
  merchant = await gateway.createMerchant({
    commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" },
  });
  usual = { ...payments.answers };
});
beforeEach(() => {
  payments.received.length = 0;
  gateway.lines.length = 0;
  Object.assign(payments.answers, usual);
});
afterAll(async () => {
  await payments.stop();
  await gateway.stop();
});

type Fields = Parameters<typeof preAuthorizationBody>[0];

function preAuthorize(fields?: Fields, headers: Record<string, string> = {}): Promise<HttpAnswer> {
  return send(preAuthorizationBody(fields), { ...JSON_TYPE, ...headers });
}

function send(body: string | Buffer, headers: Record<string, string | string[]>): Promise<HttpAnswer> {
  return gateway.merchantApi({
    method: "POST",
    path: "/api/pre-authorization",
    headers: { ...merchant.headers, ...headers },
    body,
  });
}

describe("a reservation", () => {
  test("is 201 with the record as merchants see it and where to find it", async () => {
    const answer = await preAuthorize();
    const [command] = payments.received;
    const { transactionType: _, cardSubType: __, ...shown } = recordOf(command!.payload);
    expect(answer).toMatchObject({
      status: 201,
      body: shown,
      headers: { location: `/api/payment/${command!.payload.paymentId}`, "content-type": "application/json" },
    });
    expect(answer.body).not.toHaveProperty("transactionType");
    expect(answer.body).not.toHaveProperty("cardSubType");
    expectCommonHeaders(answer);
  });

  test("reaches payments with the merchant and its plan, a deadline, and the card sealed for this payment", async () => {
    const before = Date.now();
    const answer = await preAuthorize({ customerId: '"customer-7"', amount: "999999999.99" });
    const { context, payload } = payments.received[0]!;
    expect(context).toEqual({
      requestId: answer.headers["x-request-id"],
      deadlineAt: expect.any(Number),
      merchant: {
        merchantId: merchant.merchantId,
        commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" },
      },
    });
    expect(context.deadlineAt - before).toBeGreaterThanOrEqual(18_000);
    expect(context.deadlineAt - Date.now()).toBeLessThanOrEqual(18_000);
    const { card, ...rest } = payload;
    expect(rest).toEqual({
      paymentId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      orderId: "order-1",
      amountMinor: "99999999999",
      currency: "TRY",
      cardHolderName: "Ada Lovelace",
      requestIp: "203.0.113.7",
      requestPort: 4711,
      customerId: "customer-7",
    });
    const binding = { paymentId: payload.paymentId, merchantId: merchant.merchantId };
    expect(gateway.cardOpener.open(card, binding).reveal()).toMatchObject({
      pan: PAN,
      cvv: CVV,
      expiryMonth: "12",
    });
  });

  test("draws a new payment id for each request", async () => {
    await Promise.all([preAuthorize(), preAuthorize()]);
    expect(new Set(payments.received.map(({ payload }) => payload.paymentId)).size).toBe(2);
  });

  test("goes on with the client's trace, or begins one", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    await preAuthorize({}, { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    await preAuthorize();
    expect(payments.received[0]!.traceparent).toMatch(
      new RegExp(`^00-${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
    );
    expect(payments.received[1]!.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    await eventually(() => expect(gateway.lines[0]).toMatchObject({ trace_id: trace }));
  });

  test.each(["Zoe\u0308 Müller", "مریم رضایی", "李小龍", "𝕬𝖉𝖆 👩‍💻", 'O\'Brien-"Quote"\\'])(
    "keeps the name %s as it was sent",
    async (name) => {
      await preAuthorize({ cardHolderName: JSON.stringify(name) });
      expect(payments.received[0]!.payload.cardHolderName).toBe(name);
    },
  );

  test("has no field but those of the contract, whatever the body adds", async () => {
    const added = {
      status: '"SUCCESS"',
      merchantCommission: "0",
      merchantId: '"0199aaaa-0000-7000-8000-000000000001"',
      paymentId: '"0199aaaa-0000-7000-8000-000000000002"',
      commission: '{"ratePercent": "0", "fixed": "0", "currency": "TRY"}',
      installmentCount: "12",
    };
    expect((await preAuthorize(added)).status).toBe(201);
    const [{ context, payload }] = payments.received as [(typeof payments.received)[0]];
    expect(context.merchant.merchantId).toBe(merchant.merchantId);
    expect(context.merchant.commission?.ratePercent).toBe("2.50");
    expect(payload.paymentId).not.toBe("0199aaaa-0000-7000-8000-000000000002");
    for (const name of ["status", "merchantCommission", "merchantId", "commission", "installmentCount"]) {
      expect(payload).not.toHaveProperty(name);
    }
  });
});

describe("what payments answers", () => {
  test("pending is 202 with when to ask again", async () => {
    payments.answers.preAuthorize = async ({ payload }) => ({
      outcome: "pending",
      result: { ...recordOf(payload), status: "ENROLLED" },
    });
    const answer = await preAuthorize();
    const { paymentId } = payments.received[0]!.payload;
    expect(answer).toMatchObject({
      status: 202,
      body: { paymentId, status: "ENROLLED" },
      headers: { location: `/api/payment/${paymentId}`, "retry-after": "2" },
    });
    expectCommonHeaders(answer);
  });

  test("a problem is that problem", async () => {
    payments.answers.preAuthorize = async () => ({
      outcome: "problem",
      code: "forbidden",
      detail: "Why.",
      extra: { more: 1 },
    });
    expectProblem(await preAuthorize(), "forbidden", { detail: "Why.", more: 1 });
  });

  test("not started is 503", async () => {
    payments.answers.preAuthorize = async () => ({ outcome: "not_started" });
    const answer = await preAuthorize();
    expectProblem(answer, "service_unavailable");
    expect(answer.headers["retry-after"]).toBe("1");
  });

  test.each([
    ["in doubt", async () => ({ outcome: "in_doubt" }) as const],
    ["a throw", async () => Promise.reject(new Error("a bug"))],
    [
      "what is no answer of the contract",
      async () => ({ outcome: "done", result: { paymentId: 1 } }) as never,
    ],
  ])("%s is 504 with the payment to look up", async (_case, reply) => {
    payments.answers.preAuthorize = reply;
    const answer = await preAuthorize();
    expectProblem(answer, "outcome_unknown", { paymentId: payments.received[0]!.payload.paymentId });
    expect(answer.headers["retry-after"]).toBe("10");
  });
});

describe("a body that is refused reaches nobody", () => {
  test.each([
    ["no media type", "{}", {}, "unsupported_media_type"],
    ["text", preAuthorizationBody(), { "content-type": "text/plain" }, "unsupported_media_type"],
    ["a form", "a=b", { "content-type": "application/x-www-form-urlencoded" }, "unsupported_media_type"],
    [
      "almost JSON",
      preAuthorizationBody(),
      { "content-type": "application/jsonp" },
      "unsupported_media_type",
    ],
    [
      "JSON of a kind",
      preAuthorizationBody(),
      { "content-type": "application/ld+json" },
      "unsupported_media_type",
    ],
    [
      "another character set",
      preAuthorizationBody(),
      { "content-type": "application/json; charset=utf-16" },
      "unsupported_media_type",
    ],
    [
      "two media types",
      preAuthorizationBody(),
      { "content-type": ["application/json", "text/plain"] },
      "unsupported_media_type",
    ],
    [
      "a compressed body",
      Buffer.from("1f8b", "hex"),
      { ...JSON_TYPE, "content-encoding": "gzip" },
      "unsupported_media_type",
    ],
    ["an empty body", "", JSON_TYPE, "malformed_json"],
    ["broken JSON", "{", JSON_TYPE, "malformed_json"],
    [
      "a doubled amount",
      preAuthorizationBody().replace("}", ', "amount": 1000}'),
      JSON_TYPE,
      "malformed_json",
    ],
    ["01.00", preAuthorizationBody({ amount: "01.00" }), JSON_TYPE, "malformed_json"],
    [
      "invalid UTF-8",
      Buffer.from(preAuthorizationBody({ orderId: '"é"' }), "latin1"),
      JSON_TYPE,
      "malformed_json",
    ],
    ["deep nesting", `${"[".repeat(16_000)}${"]".repeat(16_000)}`, JSON_TYPE, "malformed_json"],
    [
      "__proto__",
      preAuthorizationBody({ __proto__x: "1" }).replace("__proto__x", "__proto__"),
      JSON_TYPE,
      "validation_failed",
    ],
    ["an empty object", "{}", JSON_TYPE, "validation_failed"],
    ["one byte too many", preAuthorizationBody().padEnd(32 * 1024 + 1), JSON_TYPE, "payload_too_large"],
    [
      "one byte too many in chunks",
      preAuthorizationBody().padEnd(32 * 1024 + 1),
      { ...JSON_TYPE, "transfer-encoding": "chunked" },
      "payload_too_large",
    ],
  ] as const)("%s", async (_case, body, headers, code) => {
    const answer = await send(body, headers as Record<string, string | string[]>);
    const { detail, errors } = answer.body;
    expectProblem(answer, code, {
      ...(detail !== undefined && { detail }),
      ...(errors !== undefined && { errors }),
    });
    expect(payments.received).toEqual([]);
  });

  test.each([
    ["with a character set", { "content-type": "application/json; charset=utf-8" }],
    ["in other letters", { "content-type": 'Application/JSON;charset="UTF-8"' }],
    ["not compressed by its own word", { ...JSON_TYPE, "content-encoding": "identity" }],
    ["in chunks", { ...JSON_TYPE, "transfer-encoding": "chunked" }],
  ])("but one %s is taken", async (_case, headers: Record<string, string>) => {
    expect((await send(preAuthorizationBody(), headers)).status).toBe(201);
  });

  test("but one of exactly 32 KiB is taken", async () => {
    expect((await send(preAuthorizationBody().padEnd(32 * 1024), JSON_TYPE)).status).toBe(201);
  });

  test("of a declared length that is too large, before any of it has arrived", async () => {
    const headers = { ...JSON_TYPE, "content-length": "40000", connection: "close" };
    const answer = gateway.merchantApi({
      method: "POST",
      path: "/api/pre-authorization",
      headers: { ...merchant.headers, ...headers },
      withoutBody: true,
    });
    expectProblem(await answer, "payload_too_large");
  });

  test("with every fault at once", async () => {
    const answer = await preAuthorize({
      amount: "0",
      currency: '"XXX"',
      cvv: undefined,
      cardHolderName: '"A\\r\\n{\\"level\\":50}"',
    });
    expectProblem(answer, "validation_failed", {
      errors: [
        { field: "amount", code: "must_be_positive", message: "must be more than 0" },
        { field: "currency", code: "invalid_currency", message: "must be an ISO 4217 code in upper case" },
        {
          field: "cardHolderName",
          code: "invalid_characters",
          message: "must be well-formed Unicode without control characters",
        },
        { field: "cvv", code: "required", message: "is required" },
      ],
    });
    expect(payments.received).toEqual([]);
  });
});

test("each request leaves one line, with what is needed to find it again and nothing of the card or the secret", async () => {
  payments.answers.preAuthorize = async () => Promise.reject(new Error("a bug"));
  await preAuthorize();
  payments.answers.preAuthorize = usual.preAuthorize;
  await preAuthorize({ cardHolderName: '"Zz Canary"' });
  await preAuthorize({ pan: `"${PAN.slice(0, -1)}2"`, orderId: '""' });
  await send(`{"pan": "${PAN}", "cvv": "${CVV}", }`, JSON_TYPE);
  await gateway.merchantApi({ path: `/api/${PAN}?secret=${merchant.apiSecret}`, headers: merchant.headers });
  await gateway.merchantApi({
    path: "/api/payment/x",
    headers: { ...merchant.headers, "x-api-secret": merchant.apiSecret.slice(1) },
  });
  await eventually(() => expect(gateway.lines).toHaveLength(6));

  const text = JSON.stringify(gateway.lines);
  for (const canary of [
    PAN,
    PAN.slice(0, -1),
    `"${CVV}"`,
    merchant.apiSecret.slice(1),
    "Canary",
    merchant.apiKey,
    Buffer.from(PAN).toString("base64"),
  ]) {
    expect(text).not.toContain(canary);
  }
  const common = {
    service: "api-gateway",
    listener: "merchant",
    msg: "request",
    requestId: expect.any(String),
    durationMs: expect.any(Number),
  };
  const route = "/api/pre-authorization";
  expect(gateway.lines).toMatchObject([
    {
      ...common,
      level: "warn",
      method: "POST",
      route,
      statusCode: 504,
      code: "outcome_unknown",
      merchantId: merchant.merchantId,
    },
    {
      ...common,
      level: "info",
      method: "POST",
      route,
      statusCode: 201,
      merchantId: merchant.merchantId,
      paymentId: payments.received[1]!.payload.paymentId,
    },
    { ...common, level: "info", route, statusCode: 400, code: "validation_failed" },
    { ...common, level: "info", route, statusCode: 400, code: "malformed_json" },
    {
      ...common,
      level: "info",
      method: "GET",
      statusCode: 404,
      code: "route_not_found",
      merchantId: merchant.merchantId,
    },
    { ...common, level: "info", method: "GET", statusCode: 401, code: "unauthorized" },
  ]);
});
