// The checker's own copy of the state machine (product.md, section 4), so that a wrong table in a service is seen.

/** The states that may follow each internal state; "" is a payment that does not exist yet. */
const followers: Record<string, readonly string[]> = {
  "": ["AUTHORIZING", "ENROLLING", "REJECTED"],
  AUTHORIZING: ["SUCCESS", "FAILED", "REVERSING", "ENROLLED"],
  REVERSING: ["FAILED", "SUCCESS"],
  // The states of 3-D Secure: from the card being enrolled over a challenge to the authorization, or to nothing.
  ENROLLING: ["ENROLLED", "AUTHORIZING", "FAILED", "REVERSING"],
  ENROLLED: ["AUTHORIZING", "SUCCESS", "FAILED", "CANCELLING", "CANCELLED"],
  CANCELLING: ["CANCELLED", "SUCCESS"],
  SUCCESS: ["CAPTURED", "CANCELLED"],
  CAPTURED: [],
  FAILED: [],
  REJECTED: [],
  CANCELLED: [],
};

/**
 * True if one state may directly follow another in a payment's history. A payment that is being reversed
 * becomes SUCCESS only if two operators have resolved it so, after the bank has refused the reversal.
 */
export function mayFollow(from: string | null, to: string, cause: string): boolean {
  // A payment goes back to the challenge only where the browser's return was not the bank's.
  if (from === "AUTHORIZING" && to === "ENROLLED") return cause === "return_not_genuine";
  const isResolved = from === "REVERSING" || from === "CANCELLING" ? to === "SUCCESS" : false;
  if (isResolved && cause !== "resolved_by_operators") return false;
  return followers[from ?? ""]?.includes(to) ?? false;
}

/** True if a reader who has seen the first status may later see the second. */
export function isReachable(earlier: string, later: string): boolean {
  return earlier === later || (merchantFollowers[earlier]?.includes(later) ?? false);
}

const merchantFollowers: Record<string, readonly string[]> = {
  ENROLLED: ["SUCCESS", "FAILED", "CANCELLED", "CAPTURED"],
  SUCCESS: ["CAPTURED", "CANCELLED"],
  // Statuses of a refund.
  PENDING_APPROVAL: ["SUCCESS", "FAILED", "REJECTED"],
};

/** States that trigger a webhook. */
export function isFinal(state: string): boolean {
  return ["SUCCESS", "FAILED", "REJECTED", "CANCELLED"].includes(state);
}

const UNSETTLED: ReadonlySet<string> = new Set([
  "AUTHORIZING",
  "REVERSING",
  "ENROLLING",
  "ENROLLED",
  "CANCELLING",
]);

/** True while the bank's outcome for the payment, or for a capture or cancellation of it, is unknown. */
export function isUnsettled({ state, operated }: { state: string; operated: boolean }): boolean {
  return operated || UNSETTLED.has(state);
}
