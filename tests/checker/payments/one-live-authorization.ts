import {
  approvals,
  approvedOf,
  isDeclinedCancellation,
  isFullyReleased,
  isLive,
  linesByPayment,
} from "../bank-lines.ts";
import type { BankLine, Found, Ledgers, PaymentHistoryRow, PaymentRow } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 3. The bank has approved at most one authorization for a payment, not counting its own
 * repetitions (invariant 45). Exactly one is valid, neither reversed nor given back by a refund in place of
 * its reversal, if and only if the payment is SUCCESS (not released to its whole amount) or CAPTURED. The
 * bank has captured it, once, if and only if the payment is CAPTURED. An expired authorization may remain
 * valid if the bank has declined to release it, and lets it lapse.
 */
export function oneLiveAuthorization({ payments, paymentHistory, bank }: Ledgers): Found[] {
  const lines = linesByPayment(bank);
  const lapsed = new Set(paymentHistory.filter(isLapse).map(({ paymentId }) => paymentId));
  return [
    ...[...lines].flatMap(([paymentId, ofPayment]) => twice(paymentId, ofPayment)),
    ...payments.flatMap((payment) => {
      const ofPayment = lines.get(payment.paymentId) ?? [];
      const mayLapse = lapsed.has(payment.paymentId) && ofPayment.some(isDeclinedCancellation);
      return disagreement(payment, ofPayment, mayLapse);
    }),
  ];
}

function isLapse({ to, cause }: PaymentHistoryRow): boolean {
  return to === "CANCELLED" && cause === "hold_lapses";
}

function twice(paymentId: string, lines: BankLine[]): Found[] {
  const approved = approvals(lines).filter(({ uncalled }) => uncalled !== "again");
  if (approved.length <= 1) return [];
  return [{ ids: [paymentId], what: `${approved.length} authorizations were approved` }];
}

function disagreement(payment: PaymentRow, lines: BankLine[], mayLapse: boolean): Found[] {
  const { paymentId, state } = payment;
  if (isUnsettled(payment)) return [];
  const approved = approvals(lines).filter(({ uncalled }) => uncalled !== "again");
  const live = approved.filter((approval) => isLive(approval, lines)).length;
  const stands = state === "SUCCESS" || state === "CAPTURED";
  const isReleased = state === "SUCCESS" && approved.some((approval) => isFullyReleased(approval, lines));
  const captures = approvedOf("capture", lines).length;
  return [
    ...(live === (stands && !isReleased ? 1 : 0) || (mayLapse && live === 1)
      ? []
      : [{ ids: [paymentId], what: `is ${state}, and ${live} authorizations stand at the bank` }]),
    ...(captures === (state === "CAPTURED" ? 1 : 0)
      ? []
      : [{ ids: [paymentId], what: `is ${state}, and was captured ${captures} times at the bank` }]),
  ];
}
