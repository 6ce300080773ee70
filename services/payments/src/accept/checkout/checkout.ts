import { createTransition, type CheckoutStatus } from "@holdfast/contracts";
import type { PaymentState } from "../../payment/payment.ts";

/**
 * The checkout's state machine: the only place that says which state may follow which. The state follows from
 * the checkout's clock and its latest payment. Each reader derives it, under the row's lock, so code that
 * settles a payment need not know about checkouts.
 */
export type CheckoutState = CheckoutStatus;

export const CHECKOUT_TRANSITIONS = {
  NONE: ["OPEN"],
  OPEN: ["COMPLETED", "EXPIRED", "CANCELLED"],
  COMPLETED: [],
  EXPIRED: [],
  CANCELLED: [],
} as const satisfies Record<CheckoutState | "NONE", readonly CheckoutState[]>;

/** @returns `to`. @throws IllegalTransitionError when the table does not lead there. */
export const transitionCheckout = createTransition<CheckoutState | "NONE", CheckoutState>(
  CHECKOUT_TRANSITIONS,
);

/** The fields of a checkout that decisions use; `isExpired` is by the database's clock. */
export type CheckoutStanding = { state: CheckoutState; isExpired: boolean; attempts: number };

/** The checkout's latest payment; `hasSucceeded` stays true when it is cancelled or captured afterwards. */
export type CheckoutAttempt = { state: PaymentState; hasSucceeded: boolean };

/**
 * The checkout's state now. A payment that was begun in time decides, however long it takes: a checkout is never closed
 * over a payment of unknown outcome, since the bank may have reserved the buyer's money already.
 *
 * @param attemptsMax cards that may be tried.
 */
export function decideCheckout(
  { state, isExpired, attempts }: CheckoutStanding,
  payment: CheckoutAttempt | undefined,
  attemptsMax: number,
): CheckoutState {
  if (state !== "OPEN") return state;
  if (payment?.hasSucceeded) return "COMPLETED";
  if (payment && !hasFailed(payment)) return "OPEN";
  if (attempts >= attemptsMax) return "CANCELLED";
  return isExpired ? "EXPIRED" : "OPEN";
}

/** True if another payment may begin: the checkout is open, and no earlier payment can still succeed. */
export function mayBePaid(
  checkout: CheckoutStanding,
  payment: CheckoutAttempt | undefined,
  attemptsMax: number,
): boolean {
  return (
    decideCheckout(checkout, payment, attemptsMax) === "OPEN" && (payment === undefined || hasFailed(payment))
  );
}

/**
 * The states of a payment that failed for good. They are listed, so that a new state never counts as a
 * failure.
 */
export const FAILED_STATES = ["FAILED", "REJECTED", "CANCELLED"] as const satisfies PaymentState[];

function hasFailed({ state, hasSucceeded }: CheckoutAttempt): boolean {
  return !hasSucceeded && (FAILED_STATES as readonly PaymentState[]).includes(state);
}
