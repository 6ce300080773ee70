import { agreeToRefund, operations, type CommandReply, type OperatorRefundDetail } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { serveCommands } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";
import { refundRecordOf } from "../../test/test-refunds.ts";

const REFUND_ID = "0199aaaa-0000-7000-8000-000000000002";
const PAYMENT_ID = "0199aaaa-0000-7000-8000-000000000001";

let gateway: TestGateway;
let refunds: Awaited<ReturnType<typeof serveCommands>>;
let payments: Awaited<ReturnType<typeof serveCommands>>;
let received: unknown[] = [];
let reply: CommandReply<OperatorRefundDetail>;
let described: OperatorRefundDetail;

beforeAll(async () => {
  gateway = await startTestGateway();
  payments = await serveCommands(gateway.nats.url, "payments", [
    handler(agreeToRefund, async ({ payload }) => {
      received.push(payload);
      return { outcome: "done", result: { approvalsRequired: 1 as const } };
    }),
  ]);
  refunds = await serveCommands(gateway.nats.url, "refunds", [
    handler(operations.approveRefund.command, async () => reply),
    handler(operations.getOperatorRefund.command, async () => ({ outcome: "done", result: described })),
    handler(operations.inquireRefund.command, async ({ context: { operator }, payload }) => {
      received.push({ operator, payload });
      return reply;
    }),
    handler(operations.resolveRefund.command, async ({ context: { operator }, payload }) => {
      received.push({ operator, payload });
      return reply;
    }),
  ]);
});
beforeEach(() => {
  received = [];
  reply = { outcome: "done", result: REFUND };
  described = REFUND;
});
afterAll(async () => {
  await refunds.stop();
  await payments.stop();
  await gateway.stop();
});

const REFUND: OperatorRefundDetail = {
  ...refundRecordOf({ refundId: REFUND_ID, paymentId: PAYMENT_ID, amountMinor: "1250", currency: "TRY" }),
  refundId: REFUND_ID,
  merchantId: PAYMENT_ID,
  state: "EXECUTING",
  ageSeconds: 100,
  approvals: 1,
  approvalsRequired: 1,
  approvedBy: [],
  overdue: false,
  attempts: 3,
  lastInquiry: "mismatch",
  bank: { reference: `${REFUND_ID}:refund`, approvedAmount: 4, approvedCurrency: "TRY", resultCode: "00" },
  history: [],
};

const post = (what: string, body?: object) =>
  gateway.operatorApi({
    method: "POST",
    path: `/operator/refunds/${REFUND_ID}/${what}`,
    ...(body && { body: JSON.stringify(body) }),
  });

test("an inquiry and a resolution reach the refunds service in the operator's name", async () => {
  expect(await post("inquire")).toMatchObject({
    status: 200,
    body: { state: "EXECUTING", bank: { approvedAmount: 4 } },
  });
  expect(await post("resolve", { outcome: "SUCCESS", evidence: "call 17" })).toMatchObject({ status: 200 });
  const operator = expect.objectContaining({ name: "olga" }) as unknown;
  expect(received).toEqual([
    { operator, payload: { refundId: REFUND_ID } },
    { operator, payload: { refundId: REFUND_ID, outcome: "SUCCESS", evidence: "call 17" } },
  ]);
});

test("a resolution without an outcome or evidence is refused here", async () => {
  for (const body of [{ outcome: "REJECTED", evidence: "x" }, { outcome: "FAILED" }, { evidence: "x" }]) {
    expect(await post("resolve", body)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  }
  expect(received).toEqual([]);
});

test.each(["too_young", "bank_says_settled", "same_person", "approver_limit_reached"] as const)(
  "what the service refuses is answered with its code: %s",
  async (code) => {
    reply = { outcome: "problem", code };
    expectProblem(await post("resolve", { outcome: "FAILED", evidence: "call 17" }), code);
  },
);

test("a consent is taken back where refunds refuses the person by their limit", async () => {
  reply = { outcome: "problem", code: "approver_limit_reached" };
  expectProblem(await post("approve", {}), "approver_limit_reached");
  expect(received).toEqual([{ refundId: REFUND_ID }, { refundId: REFUND_ID, withdrawn: true }]);
});

test("who agrees again to a decided refund is answered with it where it has waited for that", async () => {
  reply = { outcome: "problem", code: "refund_already_decided" };
  expectProblem(await post("approve", {}), "refund_already_decided");
  described = { ...REFUND, lastInquiry: "refund_not_agreed" };
  expect(await post("approve", {})).toMatchObject({ status: 200, body: { state: "EXECUTING" } });
});
