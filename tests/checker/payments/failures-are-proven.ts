import { approvals, hasReversal, isGivenBack, isPayment, linesByPayment } from "../bank-lines.ts";
import type { BankLine, Found, Ledgers, PaymentHistoryRow, PaymentRow } from "../ledgers.ts";

/**
 * Invariant 5. A payment is FAILED because the bank declined it or called it too late, because the bank
 * acknowledged its reversal or, for settled money, its refund, or because it was provably never sent, as its
 * resultCode then says. It is never FAILED because of a time-out alone. A bank that binds no reference proves
 * nothing: it has not seen the payment by the horizon (docs/adr/0020), and then must not have charged it. A
 * cardholder who was not authenticated is not charged, and banks with a protocol of their own write no line
 * about that, nor about a request that they refuse. An enrolment that the bank called too late moves no money
 * and has no line in its ledger. A REJECTED payment never reached the bank.
 */
export function failuresAreProven({ payments, paymentHistory, bank, rules }: Ledgers): Found[] {
  const lines = linesByPayment(bank);
  const refused = new Set(paymentHistory.filter(isRefused).map(({ paymentId }) => paymentId));
  const unseen = new Set(paymentHistory.filter(needsNoLine).map(({ paymentId }) => paymentId));
  return payments.flatMap((payment) => {
    const needsNone =
      payment.isUnauthenticated ||
      unseen.has(payment.paymentId) ||
      (refused.has(payment.paymentId) && !rules.refusalsAreLines?.includes(payment.accountId));
    if (needsNone && !lines.has(payment.paymentId)) return [];
    const doubt = doubtAbout(payment, lines.get(payment.paymentId) ?? []);
    return doubt === undefined ? [] : [{ ids: [payment.paymentId], what: doubt }];
  });
}

function needsNoLine({ from, to, cause }: PaymentHistoryRow): boolean {
  if (to !== "FAILED") return false;
  return cause === "not_seen_until_horizon" || (from === "ENROLLING" && cause === "expired");
}

/** The bank said so, in an answer or when it was asked. */
function isRefused({ to, cause }: PaymentHistoryRow): boolean {
  return to === "FAILED" && (cause === "declined" || cause === "inquiry_declined");
}

function doubtAbout({ state, resultCode }: PaymentRow, lines: BankLine[]): string | undefined {
  if (state === "REJECTED") return lines.length > 0 ? "is REJECTED, and the bank was asked" : undefined;
  if (state !== "FAILED" || hasReversal(lines)) return undefined;
  const approved = approvals(lines);
  if (approved.some((approval) => !isGivenBack(approval, lines)))
    return `is FAILED (${resultCode}), approved at the bank, and never reversed`;
  if (lines.some(({ operation }) => isPayment(operation))) return undefined;
  if (resultCode !== null && neverSent.has(resultCode)) return undefined;
  return `is FAILED (${resultCode}), unknown to the bank, and no reversal was acknowledged`;
}

const neverSent = new Set(["acquirer_unavailable", "deadline_passed"]);
