import type { ReversalOutcome, ReversalRequest } from "@holdfast/acquirer";
import { businessDayEnd } from "@holdfast/acquirer";
import type { BusinessDay } from "@holdfast/acquirer";
import { isCancelled } from "./movements-of.ts";
import { PAYMENT_STATUS, type ReportedPayment, type TakenPayment } from "./read-details.ts";
import { MISMATCH } from "./read-envelope.ts";

/** The next step of a reversal: to cancel a payment, or nothing more. */
export type ReversalStep = { kind: "cancel"; payment: TakenPayment } | ReversalOutcome;

/**
 * The next step of a reversal, by all that iyzico knows of the order. A cancel names one payment by iyzico's id and
 * gives all of it back; it is only for the business day, and not for a payment of which a part has been refunded.
 */
export function planReversal(
  payments: readonly ReportedPayment[],
  { reference, target }: Pick<ReversalRequest, "reference" | "target">,
  { now, businessDay }: { now: Date; businessDay: BusinessDay },
): ReversalStep {
  const taken = takenUnder(payments, reference);
  const [payment, ...more] = taken.filter((candidate) => !isCancelled(candidate));
  if (!payment) return taken.length === 0 ? { kind: "nothing_found" } : { kind: "reversed" };
  if (more.length > 0) return MISMATCH;
  if (payment.itemTransactions.some(({ refunds }) => refunds.length > 0)) return settled("partly refunded");
  const isHold = payment.phase === "PRE_AUTH";
  if (!isHold && now >= businessDayEnd(target.at, businessDay)) return settled("its business day has ended");
  return { kind: "cancel", payment };
}

/**
 * The payments that were captured or reserved under a reference of ours. iyzico carries a repeat out, so there may be
 * several.
 */
export function takenUnder(payments: readonly ReportedPayment[], reference: string): TakenPayment[] {
  return payments
    .filter((payment) => payment.paymentStatus === PAYMENT_STATUS.success)
    .filter((payment) => payment.basketId === reference);
}

function settled(resultMessage: string): ReversalOutcome {
  return { kind: "settled", resultCode: "not_cancellable", resultMessage };
}
