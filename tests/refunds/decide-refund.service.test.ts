import { randomUUID } from "node:crypto";
import { operations, readAuditLog, type RefundFilter } from "@holdfast/contracts";
import type { z } from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

let refunds: RefundsHarness;

beforeAll(async () => {
  refunds = await startRefundsHarness({ env: FAST, payments: { REFUND_TWO_APPROVERS_ABOVE: "TRY:1000.00" } });
  await refunds.startRefunds();
});
afterAll(() => refunds.close());

describe("an approved refund", () => {
  test("is paid out once, settled at payments, and told to the merchant", async () => {
    const paymentId = await refunds.pay();
    const refundId = await refunds.queue(paymentId, "4000");
    expect(await refunds.approve(refundId)).toMatchObject({
      outcome: "done",
      result: {
        paymentId: refundId,
        parentPaymentId: paymentId,
        transactionType: "REFUND",
        orderId: expect.stringMatching(/^order-\d+$/),
        currency: "TRY",
        pan: "411111******1111",
        customerId: "customer-1",
        status: "SUCCESS",
        state: "SUCCESS",
        amount: 40,
        merchantId: refunds.merchantId,
        approvals: 1,
        approvalsRequired: 1,
        approvedBy: [{ operator: "olga" }],
        remainingRefundableAmount: 60,
        resultCode: "00",
      },
    });
    expect(await refunds.ledger(refundId)).toEqual(["refund approved 4000"]);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 4000, released: 0 });
    const [event] = await refunds.query<{ status: string; body: Buffer; traceparent: string }>(
      "select status, body, traceparent from refunds.outbox where payment_id = $1 and event_type = 'payment.status_changed'",
      [refundId],
    );
    const read = await refunds.read(refundId);
    expect(event).toMatchObject({ status: "SUCCESS", traceparent: expect.stringMatching(/^00-0af7/) });
    expect(read).toEqual({ outcome: "done", result: JSON.parse(event!.body.toString()) });
    expect(read).toMatchObject({ result: { cardSubType: "CLASSIC", merchantCommission: 0 } });
    // Reserved, approved, paid, settled.
    const [{ state_since } = { state_since: undefined }] = await refunds.query<{ state_since: Date }>(
      "select state_since from refunds.refund where refund_id = $1",
      [refundId],
    );
    expect(read).toMatchObject({ result: { version: 4, statusDate: state_since?.toISOString() } });
  });

  test("of an authorization that was not captured is a release; fully released it cannot be captured", async () => {
    const paymentId = await refunds.pay("10000", "authorization");
    const refundId = await refunds.queue(paymentId, "10000");
    await refunds.approve(refundId, "olga");
    await refunds.approve(refundId, "bora");
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    expect(await refunds.ledger(refundId)).toEqual(["release approved 10000"]);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 10_000 });
    expect(
      await refunds.call(operations.capture.command, { paymentId, operationId: randomUUID() }),
    ).toMatchObject({
      code: "already_refunded",
    });
  });

  test("that the bank declines is FAILED, and its amount is free again", async () => {
    const paymentId = await refunds.pay();
    const refundId = await refunds.queue(paymentId, "5091");
    expect(await refunds.approve(refundId)).toMatchObject({ result: { status: "FAILED", resultCode: "05" } });
    expect(await refunds.events(refundId)).toEqual(["FAILED"]);
    expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
  });
});

test("a rejected refund reaches no bank, frees its amount, and tells the merchant why", async () => {
  const paymentId = await refunds.pay();
  const refundId = await refunds.queue(paymentId, "10000");
  expect(await refunds.reject(refundId)).toMatchObject({
    outcome: "done",
    result: {
      status: "REJECTED",
      resultCode: "rejected",
      resultMessage: "not this one",
      rejectedBy: "olga",
    },
  });
  expect(await refunds.ledger(refundId)).toEqual([]);
  expect(await refunds.events(refundId)).toEqual(["REJECTED"]);
  expect(await refunds.amounts(paymentId)).toEqual({ reserved: 0, refunded: 0, released: 0 });
  expect(await refunds.ask(paymentId, "10000")).toMatchObject({ outcome: "done" });
});

describe("who may decide", () => {
  test("above the configured amount two different people approve, and each of them once", async () => {
    const upTo = await refunds.queue(await refunds.pay("200000"), "100000");
    const above = await refunds.queue(await refunds.pay("200000"), "100001");
    expect(await refunds.approve(upTo)).toMatchObject({
      result: { approvalsRequired: 1, status: "SUCCESS" },
    });
    expect(await refunds.approve(above, "olga")).toMatchObject({
      outcome: "done",
      result: { status: "PENDING_APPROVAL", state: "PENDING_APPROVAL", approvals: 1, approvalsRequired: 2 },
    });
    expect(await refunds.approve(above, "olga")).toEqual({
      outcome: "problem",
      code: "already_approved_by_you",
    });
    expect(await refunds.ledger(above)).toEqual([]);
    expect(await refunds.approve(above, "bora")).toMatchObject({
      result: { status: "SUCCESS", approvals: 2, approvedBy: [{ operator: "olga" }, { operator: "bora" }] },
    });
  });

  test("not the operator who asked on the merchant's behalf; the audit log says who asked and who decided", async () => {
    const paymentId = await refunds.pay();
    const refundId = randomUUID();
    const payload = {
      refundId,
      paymentId,
      merchantId: refunds.merchantId,
      amountMinor: "2500",
      currency: "TRY",
      reason: "a damaged parcel",
    };
    const asked = await refunds.operate(operations.requestRefundForMerchant.command, payload, "alice");
    expect(asked).toMatchObject({
      outcome: "done",
      result: {
        refundId,
        status: "PENDING_APPROVAL",
        requestedBy: "alice",
        requestReason: "a damaged parcel",
      },
    });
    expect(await refunds.approve(refundId, "alice")).toEqual({ outcome: "problem", code: "same_person" });
    expect(await refunds.approve(refundId, "bora")).toMatchObject({ result: { status: "SUCCESS" } });
    const log = await refunds.operate(readAuditLog.refunds, { limit: 100 });
    const entries = "result" in log ? log.result.entries.filter(({ subject }) => subject === refundId) : [];
    expect(entries.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      "bora refund.approved",
      "alice refund.approval_refused",
      "alice refund.requested",
    ]);
    expect(entries[2]?.detail).toMatchObject({
      amount: "25.00",
      currency: "TRY",
      reason: "a damaged parcel",
    });
  });

  test("nobody about what has been decided, or does not exist", async () => {
    const refundId = await refunds.queue(await refunds.pay(), "100");
    expect(await refunds.reject(refundId)).toMatchObject({ outcome: "done" });
    for (const decision of [refunds.approve(refundId), refunds.reject(refundId)]) {
      expect(await decision).toEqual({ outcome: "problem", code: "refund_already_decided" });
    }
    expect(await refunds.approve(randomUUID())).toEqual({ outcome: "problem", code: "refund_not_found" });
  });
});

test("of ten decisions at once over two processes one stands, nine hear that it is decided", async () => {
  for (let round = 0; round < 5; round++) {
    const paymentId = await refunds.pay();
    const refundId = await refunds.queue(paymentId, "1000");
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        index % 2
          ? refunds.approve(refundId, `operator-${index}`)
          : refunds.reject(refundId, `operator-${index}`),
      ),
    );
    expect(replies.filter(({ outcome }) => outcome === "done")).toHaveLength(1);
    const codes = replies.flatMap((reply) => (reply.outcome === "problem" ? [reply.code] : []));
    expect(codes).toEqual(Array.from({ length: 9 }, () => "refund_already_decided"));
    const entries = await refunds.query("select action from refunds.audit_entry where subject = $1", [
      refundId,
    ]);
    expect(entries).toHaveLength(1);
    const ledger = await refunds.ledger(refundId);
    expect(ledger).toEqual((await refunds.settled(refundId)) === "SUCCESS" ? ["refund approved 1000"] : []);
  }
});

test("the queue shows what waits, oldest first, by page and merchant, with what remains of each payment", async () => {
  const merchantId = randomUUID();
  const paymentId = await refunds.pay();
  const ids: string[] = [];
  for (const amount of ["1000", "2000", "3000"]) ids.push(await refunds.queue(paymentId, amount));
  await refunds.query("update refunds.refund set merchant_id = $1 where refund_id = any($2::uuid[])", [
    merchantId,
    ids,
  ]);
  await refunds.query(
    "update refunds.refund set created_at = created_at - interval '1 hour' where refund_id = $1",
    [ids[2]],
  );
  const list = ({
    status = "PENDING_APPROVAL",
    ...more
  }: Partial<z.infer<typeof operations.listRefunds.command.request>> & { status?: RefundFilter }) =>
    refunds.operate(operations.listRefunds.command, { limit: 2, filter: { status, merchantId }, ...more });
  const first = await list({});
  const page = "result" in first ? first.result : undefined;
  expect(page?.items.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
  expect(page?.items[0]?.item).toMatchObject({ merchantId, amount: 30, remainingRefundableAmount: 40 });
  expect(page?.items[0]?.item.ageSeconds).toBeGreaterThanOrEqual(3_600);
  const second = await list({ after: page?.readTo });
  expect(second).toMatchObject({ result: { items: [{ id: ids[1] }] } });
  expect(second).not.toHaveProperty("result.readTo");
  await refunds.operate(operations.rejectRefund.command, { refundId: ids[0]!, reason: "no" });
  expect(await list({ limit: 10 })).toMatchObject({ result: { items: [{}, {}] } });
  expect(await list({ status: "REJECTED" })).toMatchObject({ result: { items: [{ id: ids[0] }] } });
});
