import {
  operations,
  readAuditLog,
  type AuditLogEntry,
  type OperatorPaymentDetail,
  type OperatorRefund,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { eventually, serveCommands, TEST_ACCOUNT_ID } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";
import { recordOf } from "../../test/test-payments.ts";

const PAYMENT_ID = "0199aaaa-0000-7000-8000-000000000001";
const REFUND_ID = "0199aaaa-0000-7000-8000-000000000002";

let gateway: TestGateway;
let merchantId: string;
let services: Awaited<ReturnType<typeof serveCommands>>[] = [];
let asked: unknown[] = [];
let refundsHaveMore = false;
let actions: AuditLogEntry[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  ({ merchantId } = await gateway.createMerchant({ name: "Zoë's shop" }));
  const note = ({ context, payload }: { context: { operator: { name: string } }; payload: unknown }) =>
    void asked.push({ by: context.operator.name, ...(payload as object) });
  services = [
    await serveCommands(gateway.nats.url, "payments", [
      handler(operations.getOperatorPayment.command, async (message) => {
        note(message);
        return message.payload.paymentId === PAYMENT_ID
          ? { outcome: "done", result: payment() }
          : { outcome: "problem", code: "payment_not_found" };
      }),
      handler(readAuditLog.payments, async (message) => {
        note(message);
        return { outcome: "done", result: { entries: actions } };
      }),
    ]),
    await serveCommands(gateway.nats.url, "webhooks", [
      handler(operations.listWebhookDeliveries.command, async (message) => {
        note(message);
        return { outcome: "done", result: { items: [] } };
      }),
    ]),
    await serveCommands(gateway.nats.url, "refunds", [
      handler(operations.listRefunds.command, async (message) => {
        note(message);
        const place = { createdAt: "2026-01-01T00:00:00.000000Z", id: REFUND_ID };
        const result = { items: [{ ...place, item: REFUND }], ...(refundsHaveMore && { readTo: place }) };
        return { outcome: "done", result };
      }),
    ]),
  ];
});
beforeEach(() => {
  [asked, refundsHaveMore, actions] = [[], false, [ACTION]];
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await gateway.stop();
});

function payment(): OperatorPaymentDetail {
  return {
    merchantId,
    payment: recordOf({ paymentId: PAYMENT_ID, orderId: "ORDER-1" }),
    accountId: TEST_ACCOUNT_ID,
    livemode: true,
    state: "CAPTURED",
    unresolved: false,
    ageSeconds: 1,
    overdue: false,
    attempts: 0,
    history: [],
    operations: [],
    requestIp: "192.0.2.7",
  };
}

const REFUND: OperatorRefund = {
  ...recordOf({ paymentId: REFUND_ID, orderId: "ORDER-1" }),
  refundId: REFUND_ID,
  merchantId: PAYMENT_ID,
  state: "PENDING_APPROVAL",
  ageSeconds: 0,
  approvals: 0,
  approvalsRequired: 1,
  approvedBy: [],
  overdue: false,
  attempts: 0,
};
const ACTION: AuditLogEntry = {
  service: "payments",
  sequence: 1,
  at: "2026-01-01T00:00:00.000Z",
  actor: "alice",
  action: "payment.resolved",
  subject: PAYMENT_ID,
  detail: {},
  hash: "00",
};

const get = (role?: string | null, paymentId = PAYMENT_ID) =>
  gateway.operatorApi({ path: `/operator/payments/${paymentId}`, ...(role !== undefined && { role }) });

test("a payment comes with all that the services and its merchant's name say of it, in one answer", async () => {
  const answer = await get("viewer");
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ...payment(),
    merchantName: "Zoë's shop",
    refunds: [REFUND],
    deliveries: [],
    actions: [ACTION],
    more: [],
  });
  expect(asked).toEqual(
    expect.arrayContaining([
      { by: "olga", paymentId: PAYMENT_ID },
      { by: "olga", filter: { parentPaymentId: PAYMENT_ID }, limit: 100 },
      { by: "olga", paymentId: PAYMENT_ID, limit: 100 },
      { by: "olga", subject: PAYMENT_ID, limit: 101 },
    ]),
  );
});

test("a part that has more says so", async () => {
  refundsHaveMore = true;
  actions = Array.from({ length: 101 }, (_, index) => ({ ...ACTION, sequence: 101 - index }));
  const { body } = await get();
  expect(body["more"]).toEqual(["refunds", "actions"]);
  expect(body["actions"]).toHaveLength(100);
});

test("nobody reads it without a role, and where there is no payment nobody is asked for its parts", async () => {
  expectProblem(await get(null), "unauthorized");
  expectProblem(await get("nobody"), "forbidden");
  expect(asked).toEqual([]);
  expectProblem(await get("viewer", REFUND_ID), "payment_not_found");
  expect(asked).toHaveLength(1);
});

test("a part whose service does not answer is a 503, and no payment without refunds", async () => {
  await services.pop()!.stop();
  await eventually(async () => expectProblem(await get(), "service_unavailable"));
  asked = [];
  expectProblem(await get(), "service_unavailable");
  expect(asked).toHaveLength(3);
});
