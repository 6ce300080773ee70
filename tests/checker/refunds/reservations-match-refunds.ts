import type { Found, Ledgers, PaymentRow, RefundRow, ReservationRow } from "../ledgers.ts";

/**
 * Invariant 11. The amounts that `payments` has reserved, refunded and released agree with the refunds: the same ids
 * and amounts, and each payment's sums.
 */
export function reservationsMatchRefunds({ refunds, reservations, payments }: Ledgers): Found[] {
  const reserved = new Map(reservations.map((each) => [each.refundId, each]));
  const known = new Map(refunds.map((each) => [each.refundId, each]));
  const byPayment = Map.groupBy(reservations, ({ paymentId }) => paymentId);
  return [
    ...refunds.flatMap((refund) => disagreement(refund, reserved.get(refund.refundId))),
    ...reservations
      .filter(({ refundId, state }) => (state === "ACTIVE" || state === "SETTLED") && !known.has(refundId))
      .map(({ refundId, state }) => ({ ids: [refundId], what: `is ${state} for nobody` })),
    ...payments
      .filter((payment) => !isSum(payment, byPayment.get(payment.paymentId) ?? [], known))
      .map(({ paymentId }) => ({ ids: [paymentId], what: "has other sums than its reservations" })),
  ];
}

function disagreement({ refundId, state, amountMinor }: RefundRow, reservation?: ReservationRow): Found[] {
  if (state === "RESERVING") return [];
  const isSame = reservation?.amountMinor === amountMinor;
  if (isSame && RESERVATION_OF[state]?.includes(reservation.state)) return [];
  return [
    { ids: [refundId], what: `is ${state}, reserved as ${reservation?.state} ${reservation?.amountMinor}` },
  ];
}

/** Reservation states that each refund state allows. */
const RESERVATION_OF: Record<string, readonly string[]> = {
  PENDING_APPROVAL: ["ACTIVE"],
  EXECUTING: ["ACTIVE"],
  SETTLING: ["ACTIVE", "SETTLED"],
  FAILING: ["ACTIVE", "RELEASED"],
  REJECTING: ["ACTIVE", "RELEASED"],
  SUCCESS: ["SETTLED"],
  FAILED: ["RELEASED"],
  REJECTED: ["RELEASED"],
};

function isSum(
  { reservedMinor, refundedMinor, releasedMinor }: PaymentRow,
  reservations: ReservationRow[],
  refunds: ReadonlyMap<string, RefundRow>,
): boolean {
  const sum = (state: string, kind?: string) =>
    reservations
      .filter((each) => each.state === state)
      .filter(({ refundId }) => kind === undefined || refunds.get(refundId)?.kind === kind)
      .reduce((total, { amountMinor }) => total + amountMinor, 0n);
  return (
    reservedMinor === sum("ACTIVE") &&
    refundedMinor === sum("SETTLED", "refund") &&
    releasedMinor === sum("SETTLED", "release")
  );
}
