/* oxlint-disable max-lines -- one list, a code after the other */

const CHECK_ID = "Check the id: the record does not exist, or is not yours";
const REPEAT_LATER = "Repeat with the same `Idempotency-Key`, after `Retry-After`";

/**
 * Every error a Holdfast API answers with, as RFC 9457 `application/problem+json`. The one list of codes: status, title
 * and `whatToDo` belong to the code, `detail` and the extra members to the occurrence. An answer has no `whatToDo`; the
 * documentation has.
 */
export const PROBLEMS = {
  unauthorized: {
    status: 401,
    title: "Missing or invalid credentials",
    whatToDo:
      "Check key and secret: they may be wrong, revoked or of another installation; people sign in again",
  },
  insufficient_user_authentication: {
    status: 401,
    title: "This takes a more recent sign-in; sign in again and repeat the request",
    whatToDo: "Sign in again, then repeat the request",
  },
  forbidden: {
    status: 403,
    title: "Your role does not allow this operation",
    whatToDo: "Ask someone with one of the roles that the operation names",
  },
  operator_refused: {
    status: 403,
    title: "Your access was withdrawn",
    whatToDo: "Ask another administrator, who can admit you again",
  },
  own_access: {
    status: 403,
    title: "A different person must change your access",
    whatToDo: "Ask another administrator",
  },
  malformed_json: {
    status: 400,
    title: "Request body is not valid JSON",
    whatToDo: "Correct the body: send one JSON document in UTF-8",
  },
  malformed_request: {
    status: 400,
    title: "Malformed HTTP request",
    whatToDo: "Correct the request; `detail` says what cannot be read",
  },
  validation_failed: {
    status: 400,
    title: "Some fields are not valid",
    whatToDo: "Correct each field that `errors` names, then send it with a new `Idempotency-Key`",
  },
  unsupported_media_type: {
    status: 415,
    title: "Content-Type must be application/json",
    whatToDo: "Send the header `Content-Type: application/json`",
  },
  payload_too_large: { status: 413, title: "Request body too large", whatToDo: "Send a smaller body" },
  payment_not_found: { status: 404, title: "Payment not found", whatToDo: CHECK_ID },
  checkout_not_found: { status: 404, title: "Checkout not found", whatToDo: CHECK_ID },
  payment_link_not_found: { status: 404, title: "Payment link not found", whatToDo: CHECK_ID },
  refund_not_found: { status: 404, title: "Refund not found", whatToDo: CHECK_ID },
  bin_not_found: {
    status: 404,
    title: "BIN not found",
    whatToDo: "Offer no installments: the card can be paid with in full",
  },
  three_ds_session_not_found: {
    status: 404,
    title: "3-D Secure session not found",
    whatToDo: "Look the payment up: the challenge has ended, or its address is wrong",
  },
  merchant_not_found: { status: 404, title: "Merchant not found", whatToDo: CHECK_ID },
  credential_not_found: { status: 404, title: "Credential not found", whatToDo: CHECK_ID },
  refused_operator_not_found: { status: 404, title: "Refused operator not found", whatToDo: CHECK_ID },
  webhook_not_found: { status: 404, title: "Webhook not found", whatToDo: CHECK_ID },
  webhook_url_in_use: {
    status: 409,
    title: "Another webhook endpoint of the merchant has this URL",
    whatToDo: "Change the endpoint that has this URL, or name another URL",
  },
  too_many_webhooks: {
    status: 409,
    title: "The merchant has as many webhook endpoints as are allowed",
    whatToDo: "Remove an endpoint that is not needed",
  },
  webhook_switched_off: {
    status: 409,
    title: "The webhook endpoint is switched off",
    whatToDo: "Switch the endpoint on",
  },
  webhook_change_not_allowed: {
    status: 403,
    title: "The merchant's webhook endpoints may not be changed from here",
    whatToDo: "Ask an operator of the gateway to make the change, or to allow it",
  },
  delivery_not_found: { status: 404, title: "Webhook delivery not found", whatToDo: CHECK_ID },
  settlement_not_found: { status: 404, title: "Settlement file not found", whatToDo: CHECK_ID },
  chargeback_not_found: { status: 404, title: "Chargeback not found", whatToDo: CHECK_ID },
  difference_not_found: { status: 404, title: "Difference not found", whatToDo: CHECK_ID },
  route_not_found: {
    status: 404,
    title: "Endpoint not found",
    whatToDo: "Check path and base URL against the reference",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    whatToDo: "Use a method that the header `Allow` names",
  },
  invalid_payment_state: {
    status: 409,
    title: "The payment's status does not allow this operation",
    whatToDo: "Act on `currentStatus`: the operation may have been carried out already",
  },
  checkout_not_open: {
    status: 409,
    title: "The checkout has ended already",
    whatToDo: "Look the checkout up: its `status` says how it ended",
  },
  refund_pending: {
    status: 409,
    title: "A refund of this payment has not ended yet",
    whatToDo: "Wait until the refunds of the payment have ended, then repeat the request",
  },
  already_refunded: {
    status: 409,
    title: "Payment already refunded",
    whatToDo: "Do nothing more: look at the payment's refunds",
  },
  refund_already_decided: {
    status: 409,
    title: "Refund already decided",
    whatToDo: "Look the refund up: its `status` says how it was decided",
  },
  already_approved_by_you: {
    status: 409,
    title: "You have already approved this refund",
    whatToDo: "Let another person approve it",
  },
  settlement_already_taken: {
    status: 409,
    title: "This file was taken before",
    whatToDo: "Do nothing: its lines are there",
  },
  uploads_full: {
    status: 503,
    title: "Files take all the room that they have",
    whatToDo: "Confirm the files that wait, and send this one again once those under way have been read",
  },
  chargeback_exists: {
    status: 409,
    title: "An open chargeback of this amount exists already",
    whatToDo: "Look at the open chargeback; send another one only if the bank names two",
  },
  chargeback_ended: {
    status: 409,
    title: "The chargeback has an outcome",
    whatToDo: "Look the chargeback up: its outcome stands",
  },
  too_much_evidence: {
    status: 409,
    title: "The chargeback has as many files as are allowed",
    whatToDo: "Put several documents into one file",
  },
  difference_ended: {
    status: 409,
    title: "Difference already closed or resolved",
    whatToDo: "Look the difference up: it says how it ended",
  },
  payment_not_captured: {
    status: 409,
    title: "The payment has not been captured",
    whatToDo: "Cancel the payment instead of refunding it, or capture it first",
  },
  chargeback_amount_exceeds_captured: {
    status: 422,
    title: "Chargeback exceeds what is captured and not charged back yet",
    whatToDo: "Send at most `disputableAmount`",
  },
  payment_not_refundable: {
    status: 409,
    title: "Payment cannot be refunded",
    whatToDo: "Look the payment up: only what was charged can be refunded; cancel what is only reserved",
  },
  refund_amount_exceeds_remaining: {
    status: 422,
    title: "Refund exceeds the remaining refundable amount",
    whatToDo: "Request at most `remainingRefundableAmount`",
  },
  currency_mismatch: {
    status: 422,
    title: "Currency does not match the payment",
    whatToDo: "Send the currency of the payment",
  },
  capture_amount_exceeds_authorized: {
    status: 422,
    title: "Capture exceeds the authorized amount",
    whatToDo: "Capture at most `capturableAmount`",
  },
  installments_not_allowed: {
    status: 422,
    title: "Number of installments not supported by this card",
    whatToDo: "Choose one of `allowed`, or let the buyer pay in full",
  },
  installment_total_mismatch: {
    status: 422,
    title: "Installments cost something else",
    whatToDo: "Show `installmentTotal` to the buyer, then send it with a new `Idempotency-Key`",
  },
  loyalty_not_allowed: {
    status: 422,
    title: "Loyalty programme not supported by this card",
    whatToDo: "Send one of `allowed`, or leave `loyaltyCode` out",
  },
  no_acquirer_account: {
    status: 422,
    title: "No account at a bank takes this payment",
    whatToDo: "Offer another currency or card, or ask the operators for an account that takes it",
  },
  bank_requires_field: {
    status: 422,
    title: "The bank needs a field that the request does not have",
    whatToDo: "Send the field that `field` names, with a new `Idempotency-Key`",
  },
  acquirer_account_not_found: { status: 404, title: "Acquirer account not found", whatToDo: CHECK_ID },
  acquirer_account_exists: {
    status: 409,
    title: "An acquirer account of this name exists already",
    whatToDo: "Change the account that has this name, or choose another name",
  },
  terminal_in_use: {
    status: 409,
    title: "Payments were sent to the account's terminal, and their follow-ups go there",
    whatToDo: "Make another account, and set this one to `NO_NEW_PAYMENTS`; `detail` names what stays",
  },
  nothing_to_confirm: {
    status: 409,
    title: "There is no such proposal",
    whatToDo:
      "Look at the present version: the proposal was confirmed or replaced, or needed no second person",
  },
  account_not_confirmed: {
    status: 409,
    title: "No version of the account is confirmed yet",
    whatToDo: "Send the proposal's `version` and `secrets`, or have the account confirmed first",
  },
  changed_since_read: {
    status: 409,
    title: "It has been changed since you read it",
    whatToDo: "Read it again, and send your change with the newest version",
  },
  acquirer_declined: {
    status: 422,
    title: "Declined by the bank",
    whatToDo: "Act on `resultCode`: the bank declined, and the payment is as it was",
  },
  order_undecided: {
    status: 409,
    title: "An earlier attempt at this order is not decided yet",
    whatToDo: "Look up the `paymentId` that the answer names, and do not charge again before it is decided",
  },
  operation_in_progress: {
    status: 409,
    title: "Another operation on this payment is in progress",
    whatToDo: "Look the payment up after `Retry-After`, then decide whether to repeat the request",
  },
  bank_says_settled: {
    status: 409,
    title: "The bank says that the amount is still reserved or charged",
    whatToDo: "Resolve it as the bank says; if that is wrong, ask the bank",
  },
  reversal_pending: {
    status: 409,
    title: "The bank has not acknowledged the reversal yet",
    whatToDo: "Wait until the bank has acknowledged the reversal, then repeat the request",
  },
  too_young: {
    status: 409,
    title: "The request may still be under way; try again later",
    whatToDo: "Wait until `notBefore`, then repeat the request",
  },
  approver_limit_reached: {
    status: 403,
    title: "You have reached your approval limit for 24 hours",
    whatToDo: "Let another person approve it, or wait",
  },
  same_person: {
    status: 403,
    title: "A different person must approve this",
    whatToDo: "Let another person do it",
  },
  refund_differs: {
    status: 409,
    title: "The refund has another amount than the one you approve",
    whatToDo: "Read the refund again; do not approve it before you know why it differs",
  },
  refund_not_agreed: {
    status: 403,
    title: "Not enough people have agreed to this refund",
    whatToDo: "Approve the refund again",
  },
  idempotency_key_in_use: {
    status: 409,
    title: "A request with this Idempotency-Key is still in progress",
    whatToDo: "Repeat with the same `Idempotency-Key`, after `Retry-After`",
  },
  idempotency_key_reused: {
    status: 422,
    title: "Idempotency-Key already used for a different request",
    whatToDo: "Correct the program: one key for one request; send this one with a new key",
  },
  rate_limited: { status: 429, title: "Too many requests", whatToDo: REPEAT_LATER },
  request_timeout: {
    status: 408,
    title: "Request timed out",
    whatToDo: "Repeat with the same `Idempotency-Key`, and send the whole request faster",
  },
  headers_too_large: {
    status: 431,
    title: "Request headers too large",
    whatToDo: "Send fewer or shorter headers",
  },
  service_unavailable: {
    status: 503,
    title: "Service unavailable; nothing was started, so the request can be retried safely",
    whatToDo: REPEAT_LATER,
  },
  outcome_unknown: {
    status: 504,
    title: "Outcome unknown; look it up before retrying the request",
    whatToDo: "Look up the `paymentId` that the answer names, after `Retry-After`; do not charge again",
  },
  internal_error: {
    status: 500,
    title: "Internal server error",
    whatToDo: "Repeat with the same `Idempotency-Key`, and report the `requestId`",
  },
} as const satisfies Record<string, { status: number; title: string; whatToDo: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];
