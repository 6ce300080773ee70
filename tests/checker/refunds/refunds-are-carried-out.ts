import { isDeclined, isRefund, refundIdOf } from "../bank-lines.ts";
import type { Found, Ledgers } from "../ledgers.ts";

/**
 * Invariant 35, for refunds. An approved refund is paid, unless the bank itself has declined it: a refund is
 * not FAILED because the bank called it too late or was not reached, except if operators have resolved it so,
 * or its payment was charged back.
 */
export function refundsAreCarriedOut({ refunds, refundHistory, chargebacks, bank }: Ledgers): Found[] {
  const declined = new Set(
    bank.filter((line) => isRefund(line.operation) && isDeclined(line)).map(refundIdOf),
  );
  const resolved = new Set(
    refundHistory.filter(({ cause }) => cause === "resolved_by_operators").map(({ refundId }) => refundId),
  );
  const chargedBack = new Set(chargebacks.map(({ paymentId }) => paymentId));
  return refunds
    .filter(({ state }) => state === "FAILING" || state === "FAILED")
    .filter(({ refundId }) => !declined.has(refundId) && !resolved.has(refundId))
    .filter(({ paymentId }) => !chargedBack.has(paymentId))
    .map(({ refundId, state }) => ({ ids: [refundId], what: `is ${state}, and the bank never declined it` }));
}
