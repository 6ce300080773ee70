import { personAs, eventually } from "@holdfast/tests/support";
import { describe, expect, test } from "vitest";
import { CVV, PAN } from "../../test/builders.ts";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import { recordOf } from "../../test/test-payments.ts";
import { usePreAuthorization } from "../../test/use-pre-authorization.ts";

const { on, preAuthorize } = usePreAuthorization();

describe("a reservation", () => {
  test("is 201 with the record as merchants see it and where to find it", async () => {
    const answer = await preAuthorize();
    const [command] = on.payments.received;
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
    const { context, payload } = on.payments.received[0]!;
    expect(context).toEqual({
      requestId: answer.headers["x-request-id"],
      deadlineAt: expect.any(Number),
      merchant: {
        merchantId: on.merchant.merchantId,
        commission: { ratePercent: "2.50", fixed: "0.25", currency: "TRY" },
        credentialIssuedBy: personAs("olga"),
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
    const binding = { paymentId: payload.paymentId, merchantId: on.merchant.merchantId };
    expect(on.gateway.cardOpener.open(card, binding).reveal()).toMatchObject({
      pan: PAN,
      cvv: CVV,
      expiryMonth: "12",
    });
  });

  test("takes what is said about the buyer along, sealed for this payment", async () => {
    const customer = JSON.stringify({ email: "ada@example.com", phone: "+905551234567" });
    await preAuthorize({ customer, description: '"Order 1"' });
    const { payload } = on.payments.received[0]!;
    expect(JSON.stringify(payload)).not.toContain("ada@example.com");
    const binding = { paymentId: payload.paymentId, merchantId: on.merchant.merchantId };
    expect(on.gateway.cardOpener.openDetails(payload.details!, binding)).toEqual({
      customer: { email: "ada@example.com", phone: "+905551234567" },
      description: "Order 1",
    });
  });

  test("draws a new payment id for each request", async () => {
    await Promise.all([preAuthorize(), preAuthorize()]);
    expect(new Set(on.payments.received.map(({ payload }) => payload.paymentId)).size).toBe(2);
  });

  test("goes on with the client's trace, or begins one", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    await preAuthorize({}, { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    await preAuthorize();
    expect(on.payments.received[0]!.traceparent).toMatch(
      new RegExp(`^00-${trace}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
    );
    expect(on.payments.received[1]!.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    await eventually(() => expect(on.gateway.requestLines()[0]).toMatchObject({ trace_id: trace }));
  });

  test.each(["Zoe\u0308 Müller", "مریم رضایی", "李小龍", "𝕬𝖉𝖆 👩‍💻", 'O\'Brien-"Quote"\\'])(
    "keeps the name %s as it was sent",
    async (name) => {
      await preAuthorize({ cardHolderName: JSON.stringify(name) });
      expect(on.payments.received[0]!.payload.cardHolderName).toBe(name);
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
    const [{ context, payload }] = on.payments.received as [(typeof on.payments.received)[0]];
    expect(context.merchant.merchantId).toBe(on.merchant.merchantId);
    expect(context.merchant.commission?.ratePercent).toBe("2.50");
    expect(payload.paymentId).not.toBe("0199aaaa-0000-7000-8000-000000000002");
    for (const name of ["status", "merchantCommission", "merchantId", "commission", "installmentCount"]) {
      expect(payload).not.toHaveProperty(name);
    }
  });
});

describe("what payments answers", () => {
  test("pending is 202 with when to ask again", async () => {
    on.payments.answers.preAuthorize = async ({ payload }) => ({
      outcome: "pending",
      result: { ...recordOf(payload), status: "ENROLLED" },
    });
    const answer = await preAuthorize();
    const { paymentId } = on.payments.received[0]!.payload;
    expect(answer).toMatchObject({
      status: 202,
      body: { paymentId, status: "ENROLLED" },
      headers: { location: `/api/payment/${paymentId}`, "retry-after": "2" },
    });
    expectCommonHeaders(answer);
  });

  test("a problem is that problem", async () => {
    on.payments.answers.preAuthorize = async () => ({
      outcome: "problem",
      code: "forbidden",
      detail: "Why.",
      extra: { more: 1 },
    });
    expectProblem(await preAuthorize(), "forbidden", { detail: "Why.", more: 1 });
  });

  test("not started is 503", async () => {
    on.payments.answers.preAuthorize = async () => ({ outcome: "not_started" });
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
    on.payments.answers.preAuthorize = reply;
    const answer = await preAuthorize();
    expectProblem(answer, "outcome_unknown", { paymentId: on.payments.received[0]!.payload.paymentId });
    expect(answer.headers["retry-after"]).toBe("10");
  });
});
