import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { personAs } from "@holdfast/tests/support";
import type { HttpAnswer } from "../../test/http-client.ts";
import { expectCommonHeaders, expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway, type TestMerchant } from "../../test/test-gateway.ts";
import { recordOf, startTestPayments } from "../../test/test-payments.ts";
import { startTestRefunds } from "../../test/test-refunds.ts";

const PAYMENT_ID = "0199aaaa-0000-7000-8000-000000000001";
const record = recordOf({ paymentId: PAYMENT_ID, orderId: "order-1" });

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
beforeEach(() => void (payments.lookups.length = 0));
afterAll(async () => {
  await refunds.stop();
  await payments.stop();
  await gateway.stop();
});

function get(paymentId: string, method = "GET", headers = merchant.headers): Promise<HttpAnswer> {
  return gateway.merchantApi({ method, path: `/api/payment/${paymentId}`, headers });
}

describe("a payment", () => {
  test("is 200 with the record as merchants see it", async () => {
    payments.answers.lookUp = async () => ({ outcome: "done", result: record });
    const answer = await get(PAYMENT_ID);
    const { transactionType: _, cardSubType: __, ...shown } = record;
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(answer.body).toEqual(shown);
    expectCommonHeaders(answer);
  });

  test("that is a refund keeps its parent and type", async () => {
    const refund = {
      ...record,
      transactionType: "REFUND" as const,
      parentPaymentId: "0199aaaa-0000-7000-8000-000000000002",
    };
    payments.answers.lookUp = async () => ({ outcome: "done", result: refund });
    const { cardSubType: _, ...shown } = refund;
    expect((await get(PAYMENT_ID)).body).toEqual(shown);
  });

  test("is asked for on behalf of whoever signed in", async () => {
    const other = await gateway.createMerchant({
      commission: { ratePercent: "1.5", fixed: "0", currency: "EUR" },
    });
    const answer = await get(PAYMENT_ID, "GET", other.headers);
    expect(payments.lookups).toEqual([
      {
        paymentId: PAYMENT_ID,
        context: {
          requestId: answer.headers["x-request-id"],
          deadlineAt: expect.any(Number),
          merchant: {
            merchantId: other.merchantId,
            commission: { ratePercent: "1.5", fixed: "0", currency: "EUR" },
            credentialIssuedBy: personAs("olga"),
          },
        },
      },
    ]);
  });

  test("has the same head without its body", async () => {
    payments.answers.lookUp = async () => ({ outcome: "done", result: record });
    const answer = await get(PAYMENT_ID, "HEAD");
    expect(answer).toMatchObject({ status: 200, text: "" });
    expectCommonHeaders(answer);
  });
});

describe("no such payment", () => {
  test("is one 404, whether unknown, another merchant's, or not an id at all", async () => {
    payments.answers.lookUp = async () => ({
      outcome: "problem",
      code: "payment_not_found",
      detail: "Of another merchant.",
    });
    const unknown = await get(PAYMENT_ID);
    expectProblem(unknown, "payment_not_found");
    expect(payments.lookups).toHaveLength(1);
    for (const id of [
      "x",
      "%00",
      "1",
      "0199aaaa-0000-7000-8000-00000000000",
      `${PAYMENT_ID}0`,
      `${PAYMENT_ID}%00`,
      "11111111-1111-1111-1111-111111111111",
      "%27%3B--",
      "..%2f..%2fetc",
      "4111111111111111",
    ]) {
      const answer = await get(id);
      expectProblem(answer, "payment_not_found");
      expect(answer.text.length).toBe(unknown.text.length);
    }
    expect(payments.lookups).toHaveLength(1);
  });
});

test.each([
  ["nothing was started", async () => ({ outcome: "not_started" }) as const],
  ["the answer is in doubt", async () => ({ outcome: "in_doubt" }) as const],
  ["it threw", async () => Promise.reject(new Error("a bug"))],
  ["it answered another problem", async () => ({ outcome: "problem", code: "forbidden" }) as const],
])("where payments says that %s, the answer is 503 and never a 404", async (_case, reply) => {
  payments.answers.lookUp = reply;
  const answer = await get(PAYMENT_ID);
  expectProblem(answer, "service_unavailable");
  expect(answer.headers["retry-after"]).toBe("1");
});
