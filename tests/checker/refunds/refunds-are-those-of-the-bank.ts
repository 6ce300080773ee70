import { isRefund, isReversalRefund, paymentIdOf } from "../bank-lines.ts";
import type { BankLine, Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 44. The refunded and released amount of a payment is the sum of the bank's refunds of it, without
 * refunds in place of its reversal. A refund under way may have reached only the bank.
 */
export function refundsAreThoseOfTheBank({ payments, refunds, bank }: Ledgers): Found[] {
  const paid = Map.groupBy(bank.filter(isPaidRefund), paymentIdOf);
  const underWay = new Set(
    refunds.filter(({ state }) => UNDER_WAY.has(state)).map(({ paymentId }) => paymentId),
  );
  return payments.flatMap(({ paymentId, refundedMinor, releasedMinor }) => {
    const there = (paid.get(paymentId) ?? []).reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    const here = refundedMinor + releasedMinor;
    if (there === here || underWay.has(paymentId)) return [];
    return [{ ids: [paymentId], what: `${here} refunded here, and ${there} at the bank` }];
  });
}

function isPaidRefund(line: BankLine): boolean {
  return line.outcome === "approved" && isRefund(line.operation) && !isReversalRefund(line);
}

const UNDER_WAY: ReadonlySet<string> = new Set(["EXECUTING", "SETTLING", "FAILING"]);
