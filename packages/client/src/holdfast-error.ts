import type { Known } from "./payment-records.ts";

/**
 * The reason why a call failed. `code` is for programs. The gateway's own codes are in its OpenAPI document;
 * an unknown code is a string like any other. No message has a card number or a secret.
 */
export class HoldfastError extends Error {
  override readonly name = "HoldfastError";
  readonly code: Known<ClientErrorCode>;
  /** HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** The request's id, for questions to support. */
  readonly requestId: string | undefined;
  /** Every invalid field of the request; empty if the fields were not the reason. */
  readonly errors: readonly FieldFault[];
  /** True if the same call can succeed later without a change. */
  readonly retryable: boolean;
  /** The gateway's problem document, with its further fields, such as `remainingRefundableAmount` or `resultCode`. */
  readonly problem: Problem | undefined;

  constructor(message: string, facts: HoldfastErrorFacts, options?: { cause: unknown }) {
    super(message, options);
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.errors = facts.problem?.errors ?? [];
    this.retryable = facts.retryable ?? false;
    this.problem = facts.problem;
  }
}

export type HoldfastErrorFacts = {
  code: string;
  status?: number | undefined;
  requestId?: string | undefined;
  retryable?: boolean;
  problem?: Problem | undefined;
};

/** The codes that this client gives. Every other code is the gateway's. */
export type ClientErrorCode =
  /** No connection was made, so nothing was sent. */
  | "connection_failed"
  /** The connection broke, or no answer came in time: the request may have been carried out. */
  | "no_answer"
  /** The answer did not come from the gateway, but for example from a proxy, or was cut off. */
  | "unexpected_answer"
  /** The gateway ran out of time, and a look-up has shown that nothing came of the request. */
  | "conclusively_absent"
  /** A CSV file ended before its last row. */
  | "incomplete_export"
  | "inexact_amount"
  | "invalid_argument"
  | "browser_refused"
  | "secret_in_url"
  | "invalid_configuration";

export type FieldFault = { field: string; code: string; message: string };

/** RFC 9457 problem details, as far as a program acts on them. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail?: string;
  instance: string;
  code: string;
  requestId: string;
  errors?: FieldFault[];
  currentStatus?: string;
  capturableAmount?: number;
  disputableAmount?: number;
  remainingRefundableAmount?: number;
  /** The pending amount, with `refund_pending`. */
  pendingRefundAmount?: number;
  /** With `already_refunded`. */
  refundedAmount?: number;
  allowed?: (number | string)[];
  /** With `installment_total_mismatch`: the total that the card would be charged. */
  installmentTotal?: number;
  /** The path of the missing field, such as `customer.email`, with `bank_requires_field`. */
  field?: string;
  resultCode?: string;
  resultMessage?: string;
  paymentId?: string;
  /** With `too_young`, which only people's requests get. */
  notBefore?: string;
  /**
   * With `insufficient_user_authentication`, which only people's requests get: the greatest age of their
   * sign-in, in seconds.
   */
  maxAge?: number;
};

/** A fault of the calling program, thrown before anything is sent. */
export function invalidArgument(code: ClientErrorCode, message: string): HoldfastError {
  return new HoldfastError(message, { code });
}
