import { createTransition, type PaymentStatus } from "@holdfast/contracts";

/**
 * The payment's state machine: the only place that says which state may follow which. A change is checked here, and
 * again by the update's own condition on the row.
 */
export const PAYMENT_STATES = [
  /** Claimed with 3-D Secure; the acquirer is being asked to enrol the card. Shown as ENROLLED. */
  "ENROLLING",
  /** The cardholder has a challenge to pass, until the session's end. */
  "ENROLLED",
  /** Claimed, or completed by the cardholder; the acquirer is being asked, or its answer is unknown. */
  "AUTHORIZING",
  /** Will be reversed, for good; the reversal is repeated until acknowledged. Shown as ENROLLED. */
  "REVERSING",
  /** The state of a reversal after a session that its cardholder did not finish. Shown as ENROLLED. */
  "CANCELLING",
  "SUCCESS",
  "FAILED",
  /** Refused by a merchant rule; the bank was not asked. */
  "REJECTED",
  "CANCELLED",
  "CAPTURED",
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

/** The states that may follow each state; `NONE` is a payment that does not exist yet. */
export const PAYMENT_TRANSITIONS = {
  NONE: ["AUTHORIZING", "ENROLLING", "REJECTED"],
  // Without a challenge the payment is authorized immediately; an enrolment whose challenge was never shown
  // is reversed.
  ENROLLING: ["ENROLLED", "AUTHORIZING", "FAILED", "REVERSING"],
  // The browser came back, or the session ended without it: an inquiry may then find that the bank has decided alone.
  ENROLLED: ["AUTHORIZING", "SUCCESS", "FAILED", "CANCELLING", "CANCELLED"],
  // ENROLLED where the cardholder's return proved nothing to the acquirer: nothing was sent.
  AUTHORIZING: ["SUCCESS", "FAILED", "REVERSING", "ENROLLED"],
  // SUCCESS only where the bank has refused the reversal and two operators book the payment, which is then refundable.
  REVERSING: ["FAILED", "SUCCESS"],
  CANCELLING: ["CANCELLED", "SUCCESS"],
  SUCCESS: ["CAPTURED", "CANCELLED"],
  FAILED: [],
  REJECTED: [],
  CANCELLED: [],
  CAPTURED: [],
} as const satisfies Record<PaymentState | "NONE", readonly PaymentState[]>;

/** @returns `to`. @throws IllegalTransitionError when the table does not lead there. */
export const transition = createTransition<PaymentState | "NONE", PaymentState>(PAYMENT_TRANSITIONS);

/** True while the outcome at the acquirer is unknown. It is not unknown while the cardholder is at the challenge. */
export function isUnsettled(state: PaymentState): boolean {
  switch (state) {
    case "ENROLLING":
    case "AUTHORIZING":
    case "REVERSING":
    case "CANCELLING":
      return true;
    case "ENROLLED":
    case "SUCCESS":
    case "FAILED":
    case "REJECTED":
    case "CANCELLED":
    case "CAPTURED":
      return false;
    default:
      return state satisfies never;
  }
}

export function isBeingReversed(state: PaymentState): state is "REVERSING" | "CANCELLING" {
  return state === "REVERSING" || state === "CANCELLING";
}

/** The state of a payment that is to be reversed, until the acquirer has acknowledged the reversal. */
export function reversalState(state: PaymentState): "REVERSING" | "CANCELLING" {
  return state === "ENROLLED" || state === "CANCELLING" ? "CANCELLING" : "REVERSING";
}

/** The end of a payment once its reversal is acknowledged. */
export function endOfReversal(state: "REVERSING" | "CANCELLING"): "FAILED" | "CANCELLED" {
  return state === "REVERSING" ? "FAILED" : "CANCELLED";
}

/** The status a merchant sees. */
export function merchantStatus(state: PaymentState): PaymentStatus {
  switch (state) {
    case "ENROLLING":
    case "AUTHORIZING":
    case "REVERSING":
    case "CANCELLING":
      return "ENROLLED";
    default:
      return state;
  }
}
