import { retryHintOf, type Unknown, type Verdict } from "@holdfast/acquirer";
import {
  declinedResult,
  EXPIRED,
  IN_REVIEW,
  REJECTED_BY_REVIEW,
  REVIEW_REJECTED,
  reviewShown,
  type AcquirerResult,
  type ReviewShown,
  type FinalOutcome,
} from "../../payment/authorization-outcome.ts";

/** The decision on a payment whose authorization has an unknown outcome, by an inquiry. */
export type RecoveryDecision =
  | ({ action: "conclude" } & FinalOutcome)
  /** Commits the decision to reverse, then repeats the reversal until it is acknowledged. */
  | { action: "reverse"; cause: string }
  /** The payment cannot be decided yet. */
  | { action: "wait"; cause: string; notBefore?: Date; review?: ReviewShown };

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
 * Decides on an inquiry's verdict. An approved payment that is young enough is adopted. A payment that is
 * approved too late or in another amount, or not seen for too long, is reversed. An approval that the bank
 * has given and does not show yet is waited for until the payment is old, and then reversed by its name. An
 * inquiry without an answer decides nothing, however often it is made. A payment in review waits for the
 * acquirer's fraud desk, at whatever age: its merchant knows about the review.
 */
export function decideRecovery(
  asked: {
    amountMinor: bigint;
    currency: string;
    ageMs: number;
    /** True if its cardholder did not come back from the challenge. */
    abandoned: boolean;
    /** True if it was approved, and shown as being in review. */
    inReview?: boolean;
    /** True if the bank has approved it in an answer that its record did not show. */
    heard?: boolean;
  },
  inquiry: Verdict,
  limits: Pick<RecoveryLimits, "adoptWithinMs" | "reverseUnseenAfterMs">,
): RecoveryDecision {
  switch (inquiry.kind) {
    case "approved":
      return decideApproved(asked, inquiry, limits);
    case "declined":
      return {
        action: "conclude",
        to: "FAILED",
        cause: "inquiry_declined",
        answer: "declined",
        result: declinedResult(inquiry),
      };
    case "expired":
      return {
        action: "conclude",
        to: "FAILED",
        cause: "inquiry_expired",
        result: EXPIRED,
        answer: "expired",
      };
    case "reversed":
      return { action: "conclude", answer: "reversed", ...endOfReversed(asked) };
    case "not_found":
      return asked.ageMs >= limits.reverseUnseenAfterMs && !asked.inReview
        ? { action: "reverse", cause: "not_found" }
        : { action: "wait", cause: "not_found" };
    case "unknown":
      return decideUnknown(asked, inquiry, limits);
    case "not_sent":
      return { action: "wait", ...retryHintOf(inquiry) };
    default:
      return inquiry satisfies never;
  }
}

/**
 * Decides on an unknown outcome. An approval that the bank gave in an answer, and that its record does not
 * show, is reversed at the age at which a shown approval would be.
 */
function decideUnknown(
  { heard, inReview, ageMs }: Parameters<typeof decideRecovery>[0],
  { reason }: Unknown,
  { adoptWithinMs }: Pick<RecoveryLimits, "adoptWithinMs">,
): RecoveryDecision {
  const isAnswered = reason === "pending" || reason === "mismatch";
  return heard && !inReview && isAnswered && ageMs > adoptWithinMs
    ? { action: "reverse", cause: "approved_too_late" }
    : { action: "wait", cause: reason };
}

function endOfReversed({ inReview, abandoned }: { inReview?: boolean; abandoned: boolean }): FinalOutcome {
  if (inReview) return { to: "FAILED", cause: REVIEW_REJECTED, result: REJECTED_BY_REVIEW };
  return abandoned
    ? { to: "CANCELLED", cause: "inquiry_reversed", result: ABANDONED }
    : { to: "FAILED", cause: "inquiry_reversed", result: REVERSED };
}

function decideApproved(
  asked: Parameters<typeof decideRecovery>[0],
  inquiry: Extract<Verdict, { kind: "approved" }>,
  { adoptWithinMs }: Pick<RecoveryLimits, "adoptWithinMs">,
): RecoveryDecision {
  const { externalTransactionId, authCode, resultCode, resultMessage, fraudReview } = inquiry;
  if (inquiry.amountMinor !== asked.amountMinor || inquiry.currency !== asked.currency)
    return { action: "reverse", cause: "mismatch" };
  // The refusal says nothing about the money, which is given back, and only then is the payment FAILED.
  if (fraudReview === "rejected") return { action: "reverse", cause: REVIEW_REJECTED };
  if (asked.ageMs > adoptWithinMs && !asked.inReview)
    return { action: "reverse", cause: "approved_too_late" };
  // An inquiry that says nothing of a review does not end it.
  if (fraudReview === "in_review" || (asked.inReview && fraudReview === undefined))
    return { action: "wait", cause: IN_REVIEW, review: reviewShown(inquiry) };
  return {
    action: "conclude",
    to: "SUCCESS",
    cause: "inquiry_approved",
    answer: "approved",
    result: { externalTransactionId, authCode, resultCode, resultMessage },
  };
}

/** Causes of ends that no answer of the bank proves; such payments are inquired about once more. */
export const NOT_SEEN_CAUSE = "not_seen_until_horizon";
export const RESOLVED_CAUSE = "resolved_by_operators";

/** The cause of an end by a reversal, which may have been of more than the bank's record showed. */
export const REVERSED_CAUSE = "reversed";

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
