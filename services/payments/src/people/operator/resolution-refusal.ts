import type { LeasedPayment } from "../../payment/payment-lease.ts";
import { isBeingReversed } from "../../payment/payment.ts";
import { arrivesUntil, chargeOf, mayStillArrive, type BankCall } from "../../bank/ledger/bank-call.ts";
import { standsBesideRefund, type Reversal } from "../../unknown/recovery/reversal.ts";
import { invalidState, type Problem } from "./operator-request.ts";
import type { Outcome } from "./resolution.ts";

/** The bank's answers that decide whether people may say otherwise. */
type Said = Pick<
  Reversal,
  `${"settled" | "refused"}_at` | `refusal_${"code" | "message"}` | "approved_minor" | "last_sent_ms_ago"
>;

/**
 * Operators decide only about calls that are over: until the horizon of the last sending even a bank that
 * knows nothing may still get it.
 */
export function tooYoung(until: Date | undefined): Problem | undefined {
  return until && { outcome: "problem", code: "too_young", extra: { notBefore: until.toISOString() } };
}

/**
 * The time until which the call that decides may still take effect: the operation's, or else the charge's. A session
 * that has ended counts from there: its bank may have been asked by the cardholder's browser.
 * @param horizonMs how long a call may take effect, see `AccountTerms`.
 */
export function undecidedUntil(
  payment: Pick<LeasedPayment, "state" | "age_ms" | "operation_id">,
  calls: readonly BankCall[],
  horizonMs: number,
  nowMs: number,
): Date | undefined {
  const { state, age_ms, operation_id } = payment;
  const deciding =
    operation_id === null
      ? [chargeOf(calls)].flatMap((charge) => charge ?? [])
      : calls.filter(({ movement_id }) => movement_id === operation_id);
  const session = { answered_at: null, outcome: null, sent_ms_ago: age_ms };
  return arrivesUntil(state === "ENROLLED" ? [session] : deciding, horizonMs, nowMs);
}

/**
 * The reason why a payment cannot be resolved this way now.
 * @param horizonMs how long a call may take effect, see `AccountTerms`.
 */
export function refusalOf(
  payment: Pick<LeasedPayment, "state" | "amount_minor" | "charged_back_minor" | "last_inquiry">,
  reversal: Said | undefined,
  outcome: Outcome,
  horizonMs: number,
): Problem | undefined {
  const { state } = payment;
  if (outcome === "FAILED") {
    const stands = isBeingReversed(state) && reversal !== undefined && moneyStands(reversal);
    return stands && !standsBesideRefund(reversal, payment.last_inquiry, horizonMs)
      ? saysSettled(refusalSaid(reversal))
      : undefined;
  }
  if (state === "ENROLLING") return invalidState(payment);
  if (!isBeingReversed(state)) return undefined;
  // The refund in place of the reversal is no longer sent.
  const isChargedBack = reversal?.settled_at && payment.charged_back_minor > 0n;
  if (!reversal || (!reversal.refused_at && !isChargedBack))
    return { outcome: "problem", code: "reversal_pending" };
  // The refusal belongs to an earlier reversal, and the bank's record of the charge is valid only until the
  // last one arrives.
  if (mayStillArrive(reversal.last_sent_ms_ago, horizonMs)) {
    return { outcome: "problem", code: "reversal_pending", detail: ON_ITS_WAY };
  }
  // Booked in another amount than was charged, it could be refunded above the charge.
  const isWhole = reversal.approved_minor === null || reversal.approved_minor === payment.amount_minor;
  return isWhole ? undefined : invalidState(payment);
}

/** Says which of the two reasons it is. */
const ON_ITS_WAY = "A reversal that the bank has not answered may still take effect.";

/** The bank has refused the reversal, or says that only a refund gives the money back. */
export function moneyStands({ settled_at, refused_at }: Said): boolean {
  return settled_at !== null || refused_at !== null;
}

/** The bank's words of a refused reversal. */
export function refusalSaid({ refusal_code, refusal_message }: Said): Result | undefined {
  return refusal_code === null
    ? undefined
    : { resultCode: refusal_code, resultMessage: refusal_message ?? "" };
}

type Result = { resultCode: string; resultMessage: string };

export function saysSettled(said: Result | undefined): Problem {
  const { resultCode, resultMessage } = said ?? {};
  return {
    outcome: "problem",
    code: "bank_says_settled",
    ...(said && { extra: { resultCode, resultMessage } }),
  };
}
