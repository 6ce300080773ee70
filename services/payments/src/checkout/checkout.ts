import { createTransition, type CheckoutStatus } from "@holdfast/contracts";
import type { PaymentState } from "../payment/payment.ts";

/**
 * The checkout's state machine: the only place that says which state may follow which. The state follows from the
 * checkout's clock and its latest payment; it is worked out by whoever looks, under the row's lock, so that no path on
 * which a payment is settled has to know of checkouts.
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

/** What a decision needs to know of a checkout; `isExpired` by the database's clock. */
export type CheckoutStanding = { state: CheckoutState; isExpired: boolean; attempts: number };

/** The checkout's latest payment; `hasSucceeded` also where it was cancelled or captured afterwards. */
export type CheckoutAttempt = { state: PaymentState; hasSucceeded: boolean };

/**
 * Where the checkout stands. A payment that was begun in time decides, however long it takes: a checkout is never closed
 * over a payment whose outcome is not known, since the bank may hold the buyer's money already.
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

/** Whether another payment may be begun: the checkout is open, and no earlier payment can still succeed. */
export function mayBePaid(
  checkout: CheckoutStanding,
  payment: CheckoutAttempt | undefined,
  attemptsMax: number,
): boolean {
  return (
    decideCheckout(checkout, payment, attemptsMax) === "OPEN" && (payment === undefined || hasFailed(payment))
  );
}

/** States a payment cannot leave that is no payment of the order: by these, so that a new state is never taken for one. */
export const FAILED_STATES = ["FAILED", "REJECTED", "CANCELLED"] as const satisfies PaymentState[];

function hasFailed({ state, hasSucceeded }: CheckoutAttempt): boolean {
  return !hasSucceeded && (FAILED_STATES as readonly PaymentState[]).includes(state);
}
