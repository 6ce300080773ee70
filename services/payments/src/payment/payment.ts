import type { PaymentStatus } from "@holdfast/contracts";

/**
 * The payment's state machine: the only place that says which state may follow which. A change is checked here, and
 * again by the update's own condition on the row.
 */
export const PAYMENT_STATES = [
  /** Claimed; the acquirer is being asked, or what it answered is not known. Shown as ENROLLED. */
  "AUTHORIZING",
  /** Decided, for good, that it shall not stand; the reversal is repeated until acknowledged. Shown as ENROLLED. */
  "REVERSING",
  "ENROLLED",
  "SUCCESS",
  "FAILED",
  /** Refused by a rule of the gateway's own; the bank was not asked. */
  "REJECTED",
  "CANCELLED",
  "CAPTURED",
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** From each state to those that may follow; `NONE` is a payment that does not exist yet. */
export const PAYMENT_TRANSITIONS = {
  NONE: ["AUTHORIZING", "REJECTED"],
  AUTHORIZING: ["SUCCESS", "FAILED", "REVERSING"],
  REVERSING: ["FAILED"],
  ENROLLED: [],
  SUCCESS: ["CAPTURED", "CANCELLED"],
  FAILED: [],
  REJECTED: [],
  CANCELLED: [],
  CAPTURED: [],
} as const satisfies Record<PaymentState | "NONE", readonly PaymentState[]>;

/** A change the transition table does not have: a bug, never an outcome. */
export class IllegalTransitionError extends Error {
  override name = "IllegalTransitionError";
  readonly code = "illegal_transition";
}

/** @returns `to`. @throws IllegalTransitionError when the table does not lead there. */
export function transition<To extends PaymentState>(from: PaymentState | "NONE", to: To): To {
  if (!(PAYMENT_TRANSITIONS[from] as readonly PaymentState[]).includes(to)) {
    throw new IllegalTransitionError(`${from} does not lead to ${to}`);
  }
  return to;
}

/** Whether the outcome at the acquirer is still to be found out. */
export function isUnsettled(state: PaymentState): boolean {
  return state === "AUTHORIZING" || state === "REVERSING";
}

/** The status a merchant sees. */
export function merchantStatus(state: PaymentState): PaymentStatus {
  switch (state) {
    case "AUTHORIZING":
    case "REVERSING":
      return "ENROLLED";
    default:
      return state;
  }
}
