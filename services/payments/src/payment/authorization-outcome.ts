import type { AcquirerOutcome, Approved, Declined } from "@holdfast/acquirer";
import { PAYMENT_STATUS_CHANGED, type DeclineClass } from "@holdfast/contracts";
import type { CallOutcome } from "../bank/ledger/bank-call-table.ts";
import { webhookBody, type ShownPayment } from "./payment-record.ts";
import type { RecordRow } from "./payment-statements.ts";

/** The decision on a payment that is being authorized, by the acquirer's answer. */
export type AuthorizationDecision =
  | FinalOutcome
  /** The outcome is unknown, which is never a decline: the payment stays as it is and recovery concludes it. */
  | { to: "UNKNOWN"; cause: string; review?: ReviewShown; heard?: Approved }
  /** The acquirer answered with another amount than we asked for, or refuses what it reserved: that must be reversed. */
  | { to: "REVERSING"; cause: string; heard?: Approved };

/**
 * The end of a payment's authorization, its cause, and the bank's answer about the open call if it gave one.
 */
export type FinalOutcome = {
  to: "SUCCESS" | "FAILED" | "CANCELLED";
  cause: string;
  result: AcquirerResult;
  answer?: CallOutcome;
};

/** The acquirer's fields of the record; null if it gave none. */
export type AcquirerResult = {
  externalTransactionId: string | null;
  authCode: string | null;
  resultCode: string;
  resultMessage: string;
  /** The class of a decline, if the bank's code gives one. */
  declineClass?: DeclineClass | undefined;
};

/** The result that a payment shows while the acquirer's fraud desk decides on it; it is not to be shipped. */
export type ReviewShown = Omit<AcquirerResult, "authCode" | "declineClass">;

/**
 * @param before the decline at another account, after which this account was called. It counts if this
 * account judged nothing.
 */
export function decideAuthorization(outcome: AcquirerOutcome, before?: Declined): AuthorizationDecision {
  switch (outcome.kind) {
    case "approved": {
      const { externalTransactionId, authCode, resultCode, resultMessage } = outcome;
      if (outcome.fraudReview === "in_review")
        return { to: "UNKNOWN", cause: IN_REVIEW, review: reviewShown(outcome), heard: outcome };
      if (outcome.fraudReview === "rejected")
        return { to: "REVERSING", cause: REVIEW_REJECTED, heard: outcome };
      return {
        to: "SUCCESS",
        cause: "approved",
        answer: "approved",
        result: { externalTransactionId, authCode, resultCode, resultMessage },
      };
    }
    case "declined": {
      return { to: "FAILED", cause: "declined", result: declinedResult(outcome), answer: "declined" };
    }
    case "expired":
      if (before) return { ...declinedBefore(before), answer: "expired" };
      return { to: "FAILED", cause: "expired", result: EXPIRED, answer: "expired" };
    case "not_sent":
      if (before) return { ...declinedBefore(before), answer: "not_sent" };
      // No call so far was made, provably: nothing is reserved, so nothing is reversed.
      return {
        to: "FAILED",
        cause: "acquirer_unavailable",
        result: ACQUIRER_UNAVAILABLE,
        answer: "not_sent",
      };
    case "unknown": {
      const { reason: cause, heard } = outcome;
      return { to: cause === "mismatch" ? "REVERSING" : "UNKNOWN", cause, ...(heard && { heard }) };
    }
    default:
      return outcome satisfies never;
  }
}

function declinedBefore(declined: Declined): Omit<FinalOutcome, "answer"> {
  return { to: "FAILED", cause: "declined", result: declinedResult(declined) };
}

export function declinedResult(declined: Declined): AcquirerResult {
  const { externalTransactionId = null, resultCode, resultMessage, declineClass } = declined;
  return {
    externalTransactionId,
    authCode: null,
    resultCode,
    resultMessage,
    ...(declineClass && { declineClass }),
  };
}

/** The result code of a payment on which the acquirer's fraud desk has not decided; also the cause in its history. */
export const IN_REVIEW = "in_review";

/** @param approval of the issuer; it is not shown as an approval while the review may still refuse it. */
export function reviewShown({ externalTransactionId }: { externalTransactionId: string }): ReviewShown {
  return {
    externalTransactionId: externalTransactionId === "" ? null : externalTransactionId,
    resultCode: IN_REVIEW,
    resultMessage: "The bank is reviewing the payment; the goods must not be sent yet",
  };
}

/** The cause of a reversal that follows from the fraud desk's refusal, and the result code that the payment has from then on. */
export const REVIEW_REJECTED = "review_rejected";

/** The acquirer's fraud desk has refused the payment, and no funds of it are reserved any longer. */
export const REJECTED_BY_REVIEW: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: REVIEW_REJECTED,
  resultMessage: "The bank refused the payment in its review; any reserved funds have been released",
};

/** The order was paid by another payment while the cardholder was at the challenge of this one, which was not completed. */
export const ORDER_PAID = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "order_paid",
  resultMessage: "The order was paid by another payment meanwhile; no funds are reserved",
} as const satisfies AcquirerResult;

/** The acquirer has bound the reference without judging the request: nothing is reserved, and nothing will be. */
export const EXPIRED: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "expired_request",
  resultMessage: "The request reached the bank too late; no funds were reserved",
};

const ACQUIRER_UNAVAILABLE: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "acquirer_unavailable",
  resultMessage: "The bank could not be reached; no funds were reserved",
};

/** The claim was committed too late: the merchant may have got a 504, have seen no payment, and have paid again. */
export const DEADLINE_PASSED: FinalOutcome = {
  to: "FAILED",
  cause: "deadline_passed",
  answer: "not_sent",
  result: {
    externalTransactionId: null,
    authCode: null,
    resultCode: "deadline_passed",
    resultMessage: "The payment was not sent to the bank in time; no funds were reserved",
  },
};

/** A payment that may be concluded: under a lease of ours. */
export type PaymentToConclude = ShownPayment & {
  account_id: string;
  request_ip: string;
  lease_token: string;
  traceparent: string | null;
  /** Start of its age, if not the claim. */
  recovery_from?: Date | null;
};

/** Columns of a payment the bank has not answered yet. */
export const NOT_YET_ANSWERED = {
  captured_minor: 0n,
  external_transaction_id: null,
  auth_code: null,
  result_code: null,
  result_message: null,
  decline_class: null,
} as const;

/**
 * The payment after the change, and the change itself, with the exact bytes for the merchant's webhook.
 * @param at epoch milliseconds.
 */
export function conclude(
  payment: PaymentToConclude,
  { to, cause, result, answer = null }: Omit<FinalOutcome, "answer"> & { answer?: CallOutcome | null },
  { keyed, at }: { keyed: boolean; at: number },
): { concluded: ShownPayment; change: RecordRow } {
  const acquirerFields = {
    external_transaction_id: result.externalTransactionId,
    auth_code: result.authCode,
    result_code: result.resultCode,
    result_message: result.resultMessage,
    decline_class: result.declineClass ?? null,
  };
  const next = { version: payment.version + 1, state_since: new Date(at) };
  const concluded = { ...payment, ...acquirerFields, ...next, state: to };
  const change: RecordRow = {
    payment_id: payment.payment_id,
    lease_token: payment.lease_token,
    from: payment.state,
    to,
    ...next,
    cause,
    ...acquirerFields,
    call_outcome: answer,
    webhook_body: webhookBody(concluded),
    event_type: PAYMENT_STATUS_CHANGED,
    traceparent: payment.traceparent,
    keyed,
  };
  return { concluded, change };
}
