import { isOpen, lastSentMsAgo, mayHaveLeft, type BankCall } from "../../bank/ledger/bank-call.ts";
import { callsOf, type Movement } from "../../bank/ledger/movement.ts";
import { reversalRefundReference, type OrderedPayment } from "../../bank/ledger/attempts.ts";

/** The state of a payment's reversal, by its calls at the bank. */
export type Reversal = {
  /** The amount that the bank says it approved, if not what was asked for. */
  approved_minor: bigint | null;
  /** A reversal left this machine, whatever came of it. */
  is_sent: boolean;
  /** The bank said that only a refund gives the money back. */
  settled_at: Date | null;
  /** The bank refused the reversal, or after the settlement the refund in its place. */
  refused_at: Date | null;
  refusal_code: string | null;
  refusal_message: string | null;
  /** The time since the last reversal that may still take effect; null where none may. */
  last_sent_ms_ago: number | null;
};

/** @returns undefined until one is sent, or the bank has named another amount. */
export function reversalOf(calls: readonly BankCall[]): Reversal | undefined {
  const reversals = calls.filter(({ kind }) => kind === "reverse");
  const approved_minor = chargeOf(calls)?.approved_minor ?? null;
  if (reversals.length === 0 && approved_minor === null) return undefined;
  const settled = reversals.find(({ outcome }) => outcome === "settled");
  // A refusal before its day was over says nothing about a refund.
  const refused = settled
    ? callsOf(calls, REFUND).findLast(({ outcome }) => outcome === "declined")
    : reversals.findLast(({ outcome }) => outcome === "refused");
  return {
    approved_minor,
    is_sent: reversals.some(({ outcome }) => outcome !== null && SENT.has(outcome)),
    settled_at: settled?.answered_at ?? null,
    refused_at: refused?.answered_at ?? null,
    refusal_code: refused?.result_code ?? null,
    refusal_message: refused?.result_message ?? null,
    last_sent_ms_ago: lastSentMsAgo(reversals.filter(isOpen)),
  };
}

const SENT: ReadonlySet<string> = new Set(["settled", "refused", "unknown"]);
const REFUND = { kind: "refund" } as const;

/** The call by which the money may have been taken. */
export function chargeOf(calls: readonly BankCall[]): BankCall | undefined {
  return calls.findLast((call) => CHARGES.has(call.kind) && mayHaveLeft(call));
}

const CHARGES: ReadonlySet<string> = new Set(["enrol", "authorize", "sale"]);

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
