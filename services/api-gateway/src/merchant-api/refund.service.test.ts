import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { personAs } from "@holdfast/tests/support";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import { JSON_TYPE, startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";
import { startTestPayments } from "../../test/test-payments.ts";
import { refundRecordOf, startTestRefunds } from "../../test/test-refunds.ts";

const PAYMENT_ID = "0199aaaa-0000-7000-8000-000000000001";
const REFUND_ID = "0199aaaa-0000-7000-8000-000000000002";

let gateway: TestGateway;
let payments: Awaited<ReturnType<typeof startTestPayments>>;
let refunds: Awaited<ReturnType<typeof startTestRefunds>>;
let merchant: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  payments = await startTestPayments(gateway.nats.url);
  refunds = await startTestRefunds(gateway.nats.url);
  merchant = await gateway.createMerchant();
});
beforeEach(() => {
  refunds.received.length = 0;
  refunds.lookups.length = 0;
});
afterAll(async () => {
  await refunds.stop();
  await payments.stop();
  await gateway.stop();
});

const ask = (body: string, { id = PAYMENT_ID, headers = {} } = {}) =>
  gateway.merchantApi({
    method: "POST",
    path: `/api/payment/${id}/refund`,
    headers: { ...merchant.headers, ...JSON_TYPE, ...headers },
    body,
  });
const VALID = '{"amount": 12.50, "currency": "TRY"}';

describe("a refund request", () => {
  test("is 202 with a record of its own, under an id drawn here", async () => {
    const answer = await ask(VALID, { headers: { "idempotency-key": "refund-1" } });
    const [{ payload, context }] = refunds.received as [(typeof refunds.received)[0]];
    expect(payload).toEqual({
      refundId: expect.stringMatching(/^[0-9a-f-]{14}7/),
      paymentId: PAYMENT_ID,
      amountMinor: "1250",
      currency: "TRY",
    });
    expect(context).toMatchObject({
      merchant: { merchantId: merchant.merchantId, credentialIssuedBy: personAs("olga") },
      idempotency: { key: "refund-1", scope: `POST /api/payment/${PAYMENT_ID}/refund` },
    });
    const { cardSubType: _, ...shown } = refundRecordOf(payload);
    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/api/payment/${payload.refundId}` },
      body: shown,
    });
    expect(answer.body).not.toHaveProperty("cardSubType");
    expectCommonHeaders(answer);
  });

  test("whose stored answer is repeated says so, and names the first one's refund", async () => {
    refunds.answers.request = async (payload) => ({
      outcome: "done",
      result: refundRecordOf({ ...payload, refundId: REFUND_ID }),
      replayed: true,
    });
    expect(await ask(VALID)).toMatchObject({
      status: 202,
      headers: { location: `/api/payment/${REFUND_ID}`, "idempotent-replayed": "true" },
    });
  });

  test.each([
    ["0", "amount", "must_be_positive"],
    ["-1", "amount", "invalid_amount"],
    ["1.001", "amount", "too_many_decimals"],
    ['"12.50"', "amount", "invalid_type"],
    ["1e100", "amount", "invalid_amount"],
    ["null", "amount", "invalid_type"],
    ["1000000000", "amount", "too_large"],
  ])("of %s is refused before anybody is asked", async (amount, field, code) => {
    const answer = await ask(`{"amount": ${amount}, "currency": "TRY"}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field, code }] } });
    expect(refunds.received).toEqual([]);
  });

  test("passes the merchant's reason on, and a text that is none is refused", async () => {
    const asking = (reason: string) => ask(JSON.stringify({ amount: 12.5, currency: "TRY", reason }));
    expect(await asking("Koli geri geldi, مرتجع")).toMatchObject({ status: 202 });
    expect(refunds.received[0]!.payload).toMatchObject({ reason: "Koli geri geldi, مرتجع" });
    for (const [reason, code] of [
      ["x".repeat(10_000), "too_long"],
      [" ", "too_short"],
      ["card 4111111111111111", "card_number"],
      ["a\u202Eb", "invalid_characters"],
    ] as const)
      expect(await asking(reason)).toMatchObject({
        status: 400,
        body: { errors: [{ field: "reason", code }] },
      });
    expect(refunds.received).toHaveLength(1);
  });

  test("without amount and with an unknown currency hears of both", async () => {
    expect((await ask('{"currency": "try"}')).body["errors"]).toEqual([
      { field: "amount", code: "required", message: "is required" },
      { field: "currency", code: "invalid_currency", message: expect.any(String) },
    ]);
  });

  test.each([
    ["payment_not_found", undefined],
    ["payment_not_refundable", { currentStatus: "FAILED" }],
    ["refund_amount_exceeds_remaining", { remainingRefundableAmount: 40 }],
    ["currency_mismatch", undefined],
    ["operation_in_progress", undefined],
    ["idempotency_key_in_use", undefined],
  ] as const)("refused with %s says so", async (code, extra) => {
    refunds.answers.request = async () => ({ outcome: "problem", code, ...(extra && { extra }) });
    expectProblem(await ask(VALID), code, extra);
  });

  test("of what is no id at all is the same 404, and reaches nobody", async () => {
    expectProblem(await ask(VALID, { id: "x" }), "payment_not_found");
    expect(refunds.received).toEqual([]);
  });

  test("in doubt is a 504 that names the refund, not the payment", async () => {
    refunds.answers.request = async () => ({ outcome: "in_doubt" });
    const answer = await ask(VALID);
    expectProblem(answer, "outcome_unknown", { paymentId: refunds.received[0]!.payload.refundId });
    expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(10);
  });

  test("not started is a 503", async () => {
    refunds.answers.request = async () => ({ outcome: "not_started" });
    expectProblem(await ask(VALID), "service_unavailable");
  });
});

describe("GET /api/payment/{id} of what payments does not know", () => {
  const get = () =>
    gateway.merchantApi({ path: `/api/payment/${REFUND_ID}`, headers: merchant.headers, method: "GET" });

  test("is the refund, with its parent and type", async () => {
    const record = refundRecordOf({
      refundId: REFUND_ID,
      paymentId: PAYMENT_ID,
      currency: "TRY",
      amountMinor: "1250",
    });
    refunds.answers.lookUp = async () => ({ outcome: "done", result: record });
    const { cardSubType: _, ...shown } = record;
    expect((await get()).body).toEqual(shown);
    expect(refunds.lookups).toMatchObject([
      { refundId: REFUND_ID, context: { merchant: { merchantId: merchant.merchantId } } },
    ]);
  });

  test("is 404 only when refunds does not know it either", async () => {
    refunds.answers.lookUp = async () => ({ outcome: "problem", code: "refund_not_found" });
    expectProblem(await get(), "payment_not_found");
    for (const outcome of ["not_started", "in_doubt"] as const) {
      refunds.answers.lookUp = async () => ({ outcome });
      const answer = await get();
      expectProblem(answer, "service_unavailable");
      expect(answer.headers["retry-after"]).toBe("1");
    }
  });
});

describe("decisions of operators", () => {
  const approve = (role: string, id = REFUND_ID) =>
    gateway.operatorApi({ method: "POST", path: `/operator/refunds/${id}/approve`, role });

  test("take the role approver", async () => {
    expectProblem(await approve("viewer"), "forbidden");
    expectProblem(await approve("approver"), "refund_not_found");
    expectProblem(await approve("approver", "x"), "refund_not_found");
  });

  test.each(["refund_already_decided", "same_person", "already_approved_by_you"] as const)(
    "that are refused with %s say so",
    async (code) => {
      refunds.answers.approve = async () => ({ outcome: "problem", code });
      expectProblem(await approve("approver"), code);
    },
  );

  test("that reject need a reason, and a request on a merchant's behalf the role operations", async () => {
    const reject = await gateway.operatorApi({
      method: "POST",
      path: `/operator/refunds/${REFUND_ID}/reject`,
      body: "{}",
    });
    expect(reject).toMatchObject({ status: 400, body: { errors: [{ field: "reason", code: "required" }] } });
    const request = { method: "POST", path: `/operator/payments/${PAYMENT_ID}/refunds`, body: VALID };
    expectProblem(await gateway.operatorApi({ ...request, role: "approver" }), "forbidden");
    expect(await gateway.operatorApi(request)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "reason", code: "required" }] },
    });
  });

  test("the queue takes known filters only", async () => {
    const list = (query: string) =>
      gateway.operatorApi({ path: `/operator/refunds?${query}`, role: "viewer" });
    expect(await list("status=RESERVING")).toMatchObject({
      status: 400,
      body: { errors: [{ field: "status" }] },
    });
    expect(await list("merchantId=x&limit=0")).toMatchObject({
      status: 400,
      body: { errors: [{ field: "merchantId" }, { field: "limit" }] },
    });
  });
});
