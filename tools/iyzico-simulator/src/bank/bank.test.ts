import * as fc from "fast-check";
import { expect, test } from "vitest";

import { defaultModes } from "../control/modes.ts";
import { Bank } from "./bank.ts";
import { decideCancel, decideCapture, decideRefund } from "./bank-rules.ts";
import type { Entry } from "./ledger-line.ts";
import { refundedOf, type Payment } from "./payment.ts";

const step = fc.record({
  operation: fc.constantFrom("capture", "cancel", "refund", "refund item", "close"),
  amountMinor: fc.bigInt({ min: 0n, max: 120n }),
});

test("no order of captures, cancels, refunds and closings gives back more than was captured", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("authorize", "sale"),
      fc.array(step, { maxLength: 12 }),
      (operation, steps) => {
        const bank = new Bank();
        bank.apply(entry({ operation, payment: facts }));
        const payment = bank.payment("1", "25000001") as Payment;
        for (const { operation, amountMinor } of steps) play(bank, payment, operation, amountMinor);
        const approved = bank.movements.map((movement) => movement.operation);
        const refunded = payment.items.reduce((sum, item) => sum + refundedOf(item), 0n);
        const captured = operation === "sale" || approved.includes("capture") ? payment.paidPriceMinor : 0n;
        expect(refunded).toBeLessThanOrEqual(payment.cancel ? 0n : captured);
        expect(payment.paidPriceMinor).toBeLessThanOrEqual(100n);
        for (const item of payment.items) expect(refundedOf(item)).toBeLessThanOrEqual(item.paidPriceMinor);
        expect(approved.filter((each) => each === "capture" || each === "void").length).toBeLessThanOrEqual(
          2,
        );
        expect(payment.items.reduce((sum, item) => sum + item.paidPriceMinor, 0n)).toBe(
          payment.paidPriceMinor,
        );
      },
    ),
    { numRuns: 2_000 },
  );
});

function play(bank: Bank, payment: Payment, operation: string, amountMinor: bigint): void {
  const asked = { amountMinor, currency: "TRY" };
  const now = new Date("2030-06-15T12:00:00Z");
  if (operation === "close") bank.close(now.toISOString(), bank.sequence);
  if (operation === "capture" && decideCapture(payment, asked, defaultModes).kind === "approve")
    bank.apply(entry({ operation: "capture", amountMinor: Number(amountMinor) }));
  if (operation === "cancel" && decideCancel(payment, defaultModes).kind === "approve")
    bank.apply(entry({ operation: "void", transactionId: bank.nextId() }));
  if (operation.startsWith("refund")) {
    const item = operation === "refund" ? undefined : payment.items[1];
    const decision = decideRefund(payment, { ...asked, item }, now, defaultModes);
    if (decision.kind !== "approve") return;
    const refunds = decision.parts.map((part) => ({
      paymentTransactionId: part.item.paymentTransactionId,
      refundTxId: bank.nextId(),
      amountMinor: Number(part.amountMinor),
    }));
    expect(refunds.reduce((sum, part) => sum + part.amountMinor, 0)).toBe(Number(amountMinor));
    bank.apply(entry({ operation: "refund", amountMinor: Number(amountMinor), refunds }));
  }
}

const facts = {
  priceMinor: 100,
  installment: 1,
  fraudStatus: 1,
  isThreeDs: false,
  mdStatus: null,
  refusesFollowUps: false,
  buyerId: "buyer-1",
  ip: "203.0.113.7",
  createdAt: "2030-06-15T11:00:00Z",
  items: [
    { itemId: "1", paymentTransactionId: "25000002", priceMinor: 67 },
    { itemId: "2", paymentTransactionId: "25000003", priceMinor: 33 },
  ],
};

function entry(changes: Partial<Entry>): Entry {
  return {
    at: "2030-06-15T11:00:00Z",
    operation: "sale",
    orderId: "pay-1",
    transactionId: "25000001",
    amountMinor: 100,
    currency: "TRY",
    outcome: "approved",
    pan: "552879******0008",
    merchantId: "1",
    paymentId: "25000001",
    basketId: "basket-1",
    conversationId: "pay-1",
    resultCode: null,
    authCode: "123456",
    hostReference: "123456789012",
    ...changes,
  };
}
