import { isDeclinedCancellation, linesByPayment } from "../bank-lines.ts";
import type { Found, Ledgers, PaymentRow } from "../ledgers.ts";
import { isUnsettled } from "./payment-states.ts";

/**
 * Invariant 39. An authorization that was neither captured nor released nor cancelled in time expires: it does not stay
 * SUCCESS beyond its age, unless the bank has declined to cancel it.
 */
export function authorizationsExpire({ payments, bank, rules }: Ledgers): Found[] {
  const { authorizationExpiresAfterMs } = rules;
  if (authorizationExpiresAfterMs === undefined) return [];
  const lines = linesByPayment(bank);
  return payments
    .filter((payment) => payment.ageMs > authorizationExpiresAfterMs + GRACE_MS && mayExpire(payment))
    .filter(({ paymentId }) => !(lines.get(paymentId) ?? []).some(isDeclinedCancellation))
    .map(({ paymentId, ageMs }) => ({
      ids: [paymentId],
      what: `is SUCCESS and ${Math.round(ageMs / 1_000)} s old, and did not expire`,
    }));
}

/** The time in which a worker finds it and the bank answers. */
const GRACE_MS = 10_000;

function mayExpire(payment: PaymentRow): boolean {
  const { state, transactionType, amountMinor, releasedMinor, reservedMinor } = payment;
  const isHeld = reservedMinor === 0n && releasedMinor < amountMinor;
  return state === "SUCCESS" && transactionType === "PRE_AUTHORIZATION" && isHeld && !isUnsettled(payment);
}
