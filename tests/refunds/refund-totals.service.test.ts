import { randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/index.ts";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

let refunds: RefundsHarness;
beforeAll(async () => {
  refunds = await startRefundsHarness({ env: FAST });
  await refunds.startRefunds();
});
afterAll(() => refunds.close());

/** The payment's refund totals and dates, as a merchant reads them. */
async function shown(paymentId: string): Promise<Record<string, unknown>> {
  const reply = await refunds.call(operations.getPayment.command, { paymentId });
  if (reply.outcome !== "done") throw new Error(reply.outcome);
  const { status, refundedAmount, pendingRefundAmount, refundableAmount, capturedAt, cancelledAt } =
    reply.result;
  const totals = [refundedAmount, pendingRefundAmount, refundableAmount];
  return { status, totals, capturedAt, cancelledAt, isNow: reply.result.statusDate };
}
/** Waits for that status, since the bank's answer may be late on a busy machine. */
async function shownAs(status: string, paymentId: string) {
  return await eventually(async () => {
    const payment = await shown(paymentId);
    return payment["status"] === status && payment;
  });
}
const totalsOf = async (paymentId: string) => (await shown(paymentId))["totals"];
const NONE = [undefined, undefined, undefined];

test("a payment shows what was refunded, what may still be, and what is left", async () => {
  const paymentId = await refunds.pay();
  expect(await totalsOf(paymentId)).toEqual(NONE);
  const first = await refunds.queue(paymentId, "4000");
  expect(await totalsOf(paymentId)).toEqual([0, 40, 60]);
  const second = await refunds.queue(paymentId, "1050");
  expect(await totalsOf(paymentId)).toEqual([0, 50.5, 49.5]);
  await refunds.approve(first);
  expect(await refunds.settled(first)).toBe("SUCCESS");
  expect(await totalsOf(paymentId)).toEqual([40, 10.5, 49.5]);
  await refunds.reject(second);
  expect(await refunds.settled(second)).toBe("REJECTED");
  expect(await totalsOf(paymentId)).toEqual([40, 0, 60]);
});

test("a refund that came to nothing leaves no totals", async () => {
  const paymentId = await refunds.pay();
  const refundId = await refunds.queue(paymentId, "4000");
  await refunds.reject(refundId);
  expect(await refunds.settled(refundId)).toBe("REJECTED");
  expect(await totalsOf(paymentId)).toEqual(NONE);
});

test("a release before the capture was given back, and does not count against what was captured", async () => {
  const paymentId = await refunds.pay("10000", "authorization");
  expect(await shown(paymentId)).toMatchObject({ status: "SUCCESS", capturedAt: undefined });
  const refundId = await refunds.queue(paymentId, "3000");
  await refunds.approve(refundId);
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  expect(await totalsOf(paymentId)).toEqual([30, 0, 70]);
  await refunds.call(operations.capture.command, { paymentId, operationId: randomUUID(), amount: "60" });
  const captured = await shownAs("CAPTURED", paymentId);
  expect(captured).toMatchObject({ status: "CAPTURED", totals: [30, 0, 60], cancelledAt: undefined });
  expect(captured["capturedAt"]).toBe(captured["isNow"]);
});

test("a cancelled payment says when, and has nothing left to refund", async () => {
  const paymentId = await refunds.pay("10000", "authorization");
  const refundId = await refunds.queue(paymentId, "3000");
  await refunds.approve(refundId);
  expect(await refunds.settled(refundId)).toBe("SUCCESS");
  await refunds.call(operations.cancel.command, { paymentId, operationId: randomUUID() });
  const cancelled = await shownAs("CANCELLED", paymentId);
  expect(cancelled).toMatchObject({ status: "CANCELLED", totals: [30, 0, 0], capturedAt: undefined });
  expect(cancelled["cancelledAt"]).toBe(cancelled["isNow"]);
  // The merchant's webhook has the same totals.
  const [event] = await refunds.query<{ body: Buffer }>(
    "select body from payments.outbox where payment_id = $1 and status = 'CANCELLED'",
    [paymentId],
  );
  expect(JSON.parse(event!.body.toString())).toMatchObject({
    cancelledAt: cancelled["isNow"],
    refundedAmount: 30,
    refundableAmount: 0,
  });
});
