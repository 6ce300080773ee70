import type { StoredReservation } from "@holdfast/contracts";
import type { RefundRow } from "../refund/refund-record.ts";
import type { RefundState } from "../refund/refund.ts";

export type ComparedRefund = Pick<
  RefundRow,
  "refund_id" | "payment_id" | "merchant_id" | "state" | "amount_minor" | "currency" | "kind" | "traceparent"
>;

/** A disagreement of the two services about one refund id, which at least one of them knows. */
export type Difference = {
  kind: DifferenceKind;
  refundId: string;
  refund: ComparedRefund | undefined;
  reservation: StoredReservation | undefined;
};
export type DifferenceKind = keyof typeof DIFFERENCES;

/** Every kind of difference, in words for the person who reads the report. */
export const DIFFERENCES = {
  reservation_without_refund: "an amount is reserved for a refund that does not exist",
  settled_without_refund: "an amount is refunded by a refund that does not exist",
  refund_without_reservation: "the refund's amount was never reserved",
  reservation_released: "the refund's amount is not reserved any more",
  settled_before_decision: "the amount is refunded, and the refund's end is not known",
  success_not_settled: "the refund was paid, and its amount is still reserved",
  end_not_released: "the refund was not paid, and its amount is still reserved",
  settled_though_not_paid: "the refund was not paid, and its amount is refunded",
  amount_differs: "payment, amount or kind are not the same",
} as const;

/**
 * Compares one refund with its reservation. While a refund's end is being sent to `payments`, both the state before and
 * the state after are right.
 *
 * @returns undefined if they agree.
 */
export function judgeReservation(
  refund: ComparedRefund | undefined,
  reservation: StoredReservation | undefined,
): DifferenceKind | undefined {
  const held = reservation?.state;
  if (!refund) return refundIsGone(held);
  const difference = disagreement(refund.state, held);
  return difference ?? (reservation && isAnother(refund, reservation) ? "amount_differs" : undefined);
}

type Held = StoredReservation["state"] | undefined;

function refundIsGone(held: Held): DifferenceKind | undefined {
  if (held === "ACTIVE") return "reservation_without_refund";
  return held === "SETTLED" ? "settled_without_refund" : undefined;
}

function disagreement(state: RefundState, held: Held): DifferenceKind | undefined {
  switch (state) {
    case "RESERVING":
      // An active or released reservation may be right at any moment.
      return held === "SETTLED" ? "settled_before_decision" : undefined;
    case "PENDING_APPROVAL":
    case "EXECUTING":
      if (held === "SETTLED") return "settled_before_decision";
      return held === "ACTIVE" ? undefined : notReserved(held);
    case "SETTLING":
      return held === "ACTIVE" || held === "SETTLED" ? undefined : notReserved(held);
    case "SUCCESS":
      if (held === "ACTIVE") return "success_not_settled";
      return held === "SETTLED" ? undefined : notReserved(held);
    case "FAILING":
    case "REJECTING":
      return held === "SETTLED" ? "settled_though_not_paid" : undefined;
    case "FAILED":
    case "REJECTED":
      if (held === "ACTIVE") return "end_not_released";
      return held === "SETTLED" ? "settled_though_not_paid" : undefined;
    default:
      return state satisfies never;
  }
}

function notReserved(held: Exclude<Held, "ACTIVE" | "SETTLED">): DifferenceKind {
  return held === undefined ? "refund_without_reservation" : "reservation_released";
}

/** Tombstones have no amount of their own, and say nothing of a payment. */
function isAnother(
  refund: ComparedRefund,
  { state, paymentId, amountMinor, kind }: StoredReservation,
): boolean {
  if (state === "RELEASED" || state === "REFUSED") return false;
  const isKnown = refund.kind !== null;
  return (
    refund.payment_id !== paymentId ||
    refund.amount_minor !== BigInt(amountMinor) ||
    (isKnown && refund.kind !== kind)
  );
}
