import { approvals, hasReversal, isGivenBack, isPayment, linesByPayment } from "../bank-lines.ts";
import type { BankLine, Found, Ledgers, PaymentHistoryRow, PaymentRow } from "../ledgers.ts";

/**
 * Invariant 5. A payment is FAILED because the bank declined it or called it too late, because the bank acknowledged
 * its reversal or, where it had settled the money, its refund, or because it was provably never sent, which its
 * resultCode then says; never on a time-out alone. A bank that binds nothing proves nothing either: it has not seen the
 * payment until the horizon (docs/adr/0020), and then must not have charged it. A cardholder who is not authenticated
 * is not charged either, and banks with a protocol of their own write no line of that, nor of a request that they
 * refuse. An enrolment that the bank called too late moves no money, and leaves no line in its ledger. A REJECTED one
 * never got there.
 */
export function failuresAreProven({ payments, paymentHistory, bank, rules }: Ledgers): Found[] {
  const lines = linesByPayment(bank);
  const refused = new Set(paymentHistory.filter(isRefused).map(({ paymentId }) => paymentId));
  const unseen = new Set(paymentHistory.filter(needsNoLine).map(({ paymentId }) => paymentId));
  return payments.flatMap((payment) => {
    const needsNone =
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
