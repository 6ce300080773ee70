import { randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../support/index.ts";
import { startBehindFront } from "./refunds-harness.ts";

async function setUp(settings: Record<string, string>) {
  const payments = { ACQUIRER_TIMEOUT: "5m", LEASE_DURATION: "20m" };
  const { refunds, front, close } = await startBehindFront({ payments, refunds: settings });
  onTestFinished(close);
  /** A refund that waits for a decision. @returns its id. */
  const queue = async (merchantId: string): Promise<string> => {
    const merchant = { merchantId };
    const sale = refunds.command({ amountMinor: "1000", ofMerchant: merchantId });
    expect(await refunds.call(operations.pay.command, sale, { merchant })).toMatchObject({ outcome: "done" });
    const refund = { refundId: randomUUID(), paymentId: sale.paymentId, amountMinor: "100", currency: "TRY" };
    expect(await refunds.call(operations.requestRefund.command, refund, { merchant })).toMatchObject({
      outcome: "done",
    });
    return refund.refundId;
  };
  return { refunds, front, queue };
}

test("refunds of one merchant that hang at the bank leave another's connections free", async () => {
  const { refunds, front, queue } = await setUp({
    REFUND_CALLS_MAX: "4",
    // Longer than the test may take: hanging calls keep their connections, and waiting ones keep waiting.
    LEASE_DURATION: "20m",
  });
  const noisy = randomUUID();
  const ofNoisy = [await queue(noisy), await queue(noisy), await queue(noisy), await queue(noisy)];
  const other = await queue(randomUUID());
  front.freeze();
  const decisions = ofNoisy.map((refundId) => refunds.approve(refundId));
  await eventually(async () => {
    const decided = await refunds.query("select from refunds.refund where state = 'EXECUTING'");
    expect(decided).toHaveLength(ofNoisy.length);
  });
  decisions.push(refunds.approve(other));
  await eventually(() => expect(front.waiting(other)).toBe(1));
  expect(front.waiting()).toBe(2);
  front.thaw();
  for (const decision of decisions)
    expect(await decision).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
});
