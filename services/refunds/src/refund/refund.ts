import { createTransition, type PaymentStatus } from "@holdfast/contracts";

/**
 * The refund's state machine: the only place that says which state may follow which. A change is checked here, and
 * again by the update's own condition on the row.
 */
export const REFUND_STATES = [
  /** Written before `payments` reserves the amount; shown to nobody, and deleted unless that succeeds. */
  "RESERVING",
  /** The amount is reserved; operators decide. */
  "PENDING_APPROVAL",
  /** Approved; the bank is being asked, or its answer is unknown. Shown as PENDING_APPROVAL. */
  "EXECUTING",
  /** Paid out, for good; `payments` settles the amount until it has acknowledged. Shown as PENDING_APPROVAL. */
  "SETTLING",
  /** Declined by the bank, for good; `payments` releases the amount likewise. */
  "FAILING",
  /** Rejected by an operator, for good; `payments` releases the amount likewise. */
  "REJECTING",
  "SUCCESS",
  "FAILED",
  "REJECTED",
] as const;
export type RefundState = (typeof REFUND_STATES)[number];
export type FinalRefundState = "SUCCESS" | "FAILED" | "REJECTED";

/** The states that may follow each state; `NONE` is a refund that does not exist yet. */
export const REFUND_TRANSITIONS = {
  NONE: ["RESERVING"],
  RESERVING: ["PENDING_APPROVAL"],
  PENDING_APPROVAL: ["EXECUTING", "REJECTING"],
  EXECUTING: ["SETTLING", "FAILING"],
  SETTLING: ["SUCCESS"],
  FAILING: ["FAILED"],
  REJECTING: ["REJECTED"],
  SUCCESS: [],
  FAILED: [],
  REJECTED: [],
} as const satisfies Record<RefundState | "NONE", readonly RefundState[]>;

/** @returns `to`. @throws IllegalTransitionError when the table does not lead there. */
export const transition = createTransition<RefundState | "NONE", RefundState>(REFUND_TRANSITIONS);

export function isFinal(state: RefundState): state is FinalRefundState {
  return state === "SUCCESS" || state === "FAILED" || state === "REJECTED";
}

/** True while it still needs a process or recovery: it is then under a lease, or due at `recover_at`. */
export function isUnderWay(state: RefundState): boolean {
  return state !== "PENDING_APPROVAL" && !isFinal(state);
}

/** The status a merchant sees; a refund that is RESERVING must not be shown at all. */
export function merchantStatus(state: RefundState): PaymentStatus {
  switch (state) {
    case "RESERVING":
      throw new Error("a refund was to be shown before it was reserved");
    case "PENDING_APPROVAL":
    case "EXECUTING":
    case "SETTLING":
    case "FAILING":
    case "REJECTING":
      return "PENDING_APPROVAL";
    case "SUCCESS":
    case "FAILED":
    case "REJECTED":
      return state;
    default:
      return state satisfies never;
  }
}
