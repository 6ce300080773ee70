import {
  chargeOf,
  isApproved,
  isOpen,
  lastSentMsAgo,
  mayStillArrive,
  type BankCall,
} from "../../bank/ledger/bank-call.ts";
import { callsOf, type Movement } from "../../bank/ledger/movement.ts";
import { reversalRefundReference, type OrderedPayment } from "../../bank/ledger/attempts.ts";

/** The state of a payment's reversal, by its calls at the bank. */
export type Reversal = {
  /** The amount that the bank says it approved, if not what was asked for. */
  approved_minor: bigint | null;
  /** True if a reversal left this machine, whatever its outcome. */
  is_sent: boolean;
  /** The bank said that only a refund gives the money back. */
  settled_at: Date | null;
  /** The bank refused the reversal, or after the settlement the refund in its place. */
  refused_at: Date | null;
  refusal_code: string | null;
  refusal_message: string | null;
  /** The time since the last reversal, or refund in its place, that may still take effect; null if none may. */
  last_sent_ms_ago: number | null;
};

/** @returns undefined until one is sent, or the bank has named another amount. */
export function reversalOf(calls: readonly BankCall[]): Reversal | undefined {
  const reversals = calls.filter(({ kind }) => kind === "reverse");
  const charge = chargeOf(calls);
  const approved_minor = charge?.approved_minor ?? null;
  if (reversals.length === 0 && approved_minor === null) return undefined;
  const settled = reversals.find(({ outcome }) => outcome === "settled");
  // A refusal before its day was over says nothing about a refund.
  const refused = settled
    ? callsOf(calls, REFUND).findLast(({ outcome }) => outcome === "declined")
    : reversals.findLast(({ outcome }) => outcome === "refused");
  return {
    approved_minor,
    is_sent: reversals.some(({ outcome }) => outcome !== null && isSent(outcome, charge)),
    settled_at: settled?.answered_at ?? null,
    refused_at: refused?.answered_at ?? null,
    refusal_code: refused?.result_code ?? null,
    refusal_message: refused?.result_message ?? null,
    last_sent_ms_ago: lastSentMsAgo([...reversals, ...callsOf(calls, REFUND)].filter(isOpen)),
  };
}

/** True for a reversal that reached the bank. One of an approval that the bank does not find named it. */
function isSent(outcome: string, charge: BankCall | undefined): boolean {
  return SENT.has(outcome) || (outcome === "nothing_found" && charge !== undefined && isApproved(charge));
}

const SENT: ReadonlySet<string> = new Set(["settled", "refused", "unknown"]);
const REFUND = { kind: "refund" } as const;

/**
 * True if the bank shows a refund that is not ours, or not of our amount, beside a settled payment that has
 * to be given back, and nothing of ours can arrive any more. Nothing is sent beside it, so only an operator
 * can say whether the buyer has the whole money. The bank may have declined our refund before.
 * @param lastInquiry the cause for which the refund waits.
 * @param horizonMs see `AccountTerms`.
 */
export function standsBesideRefund(
  { settled_at, last_sent_ms_ago }: Pick<Reversal, "settled_at" | "last_sent_ms_ago">,
  lastInquiry: string | null,
  horizonMs: number,
): boolean {
  const isShown = lastInquiry === "refund_mismatch" && settled_at !== null;
  return isShown && !mayStillArrive(last_sent_ms_ago, horizonMs);
}

/**
 * True while a reversal that was not answered may still be carried out: a refund beside it would give the money back twice.
 * @param horizonMs see `AccountTerms`.
 */
export function mayBeReversed(
  calls: readonly Pick<BankCall, "kind" | "answered_at" | "outcome" | "sent_ms_ago">[],
  horizonMs: number,
): boolean {
  const open = calls.filter((call) => call.kind === "reverse" && isOpen(call));
  return mayStillArrive(lastSentMsAgo(open), horizonMs);
}

/** The refund of a payment that was settled before it could be reversed. */
export function reversalRefund(
  payment: OrderedPayment,
  { approved_minor }: Pick<Reversal, "approved_minor">,
): Movement {
  return {
    ...REFUND,
    reference: reversalRefundReference(payment.payment_id),
    amountMinor: approved_minor ?? payment.amount_minor,
  };
}
