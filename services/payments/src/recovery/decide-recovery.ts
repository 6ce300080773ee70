import { hindranceOf, type Verdict } from "@holdfast/acquirer";
import { EXPIRED, type AcquirerResult, type Settlement } from "../payment/authorization-outcome.ts";

/** The decision on a payment whose authorization has an unknown outcome, by an inquiry. */
export type RecoveryDecision =
  | ({ action: "settle" } & Settlement)
  /** Commit the decision to reverse, then repeat the reversal until it is acknowledged. */
  | { action: "reverse"; cause: string }
  /** It cannot be decided yet. */
  | { action: "wait"; cause: string; notBefore?: Date };

/** Times by a payment's age (see `LeasedPayment`), by the database's clock. */
export type RecoveryLimits = {
  /** Times of the inquiries; after the last one the time between two doubles, up to an hour. */
  scheduleMs: readonly number[];
  /** An approval found later than this is reversed: the buyer has long gone elsewhere. */
  adoptWithinMs: number;
  /** A reference the acquirer has not seen by then is reversed, which binds it where the acquirer can. */
  reverseUnseenAfterMs: number;
};

/**
 * A payment that is approved and young enough is adopted. One that is approved but old, or of another amount, or not seen
 * for too long, is reversed. An inquiry without an answer decides nothing, however often it is made.
 */
export function decideRecovery(
  asked: {
    amountMinor: bigint;
    currency: string;
    ageMs: number;
    /** Whether its cardholder did not come back from the challenge. */
    abandoned: boolean;
  },
  inquiry: Verdict,
  limits: Pick<RecoveryLimits, "adoptWithinMs" | "reverseUnseenAfterMs">,
): RecoveryDecision {
  switch (inquiry.kind) {
    case "approved": {
      if (inquiry.amountMinor !== asked.amountMinor || inquiry.currency !== asked.currency) {
        return { action: "reverse", cause: "mismatch" };
      }
      if (asked.ageMs > limits.adoptWithinMs) return { action: "reverse", cause: "approved_too_late" };
      const { externalTransactionId, authCode, resultCode, resultMessage } = inquiry;
      return {
        action: "settle",
        to: "SUCCESS",
        cause: "inquiry_approved",
        result: { externalTransactionId, authCode, resultCode, resultMessage },
      };
    }
    case "declined": {
      const { externalTransactionId = null, resultCode, resultMessage } = inquiry;
      return {
        action: "settle",
        to: "FAILED",
        cause: "inquiry_declined",
        result: { externalTransactionId, authCode: null, resultCode, resultMessage },
      };
    }
    case "expired":
      return { action: "settle", to: "FAILED", cause: "inquiry_expired", result: EXPIRED };
    case "reversed":
      return asked.abandoned
        ? { action: "settle", to: "CANCELLED", cause: "inquiry_reversed", result: ABANDONED }
        : { action: "settle", to: "FAILED", cause: "inquiry_reversed", result: REVERSED };
    case "not_found":
      return asked.ageMs >= limits.reverseUnseenAfterMs
        ? { action: "reverse", cause: "not_found" }
        : { action: "wait", cause: "not_found" };
    case "unknown":
      return { action: "wait", cause: inquiry.reason };
    case "not_sent":
      return { action: "wait", ...hindranceOf(inquiry) };
    default:
      return inquiry satisfies never;
  }
}

/** Causes of ends that no word of the bank stands behind; such payments are looked at once more. */
export const NOT_SEEN_CAUSE = "not_seen_until_horizon";
export const RESOLVED_CAUSE = "resolved_by_operators";

/** A payment whose reversal the acquirer has acknowledged. */
export const REVERSED: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "reversed",
  resultMessage: "No answer from the bank; any reserved funds have been released",
};

/** A payment that the acquirer had not seen until the horizon. */
export const NOT_SEEN: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "reversed",
  resultMessage: "No answer from the bank; it has no record of the payment",
};

/** A payment whose charge was settled before it could be reversed, and which the acquirer has refunded. */
export const REFUNDED: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "reversed",
  resultMessage: "No answer from the bank in time; what was charged has been refunded",
};

/** A session that its cardholder did not finish, and whose reversal the acquirer has acknowledged. */
export const ABANDONED: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "abandoned",
  resultMessage: "The cardholder did not complete the authentication in time; no funds are reserved",
};
