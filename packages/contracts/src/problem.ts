import { z } from "zod";
import { paymentStatusSchema } from "./payment-status.ts";

/**
 * Every error a Holdfast API answers with, as RFC 9457 `application/problem+json`. The one list of codes: status and
 * title belong to the code, `detail` and the extra members to the occurrence.
 */
export const PROBLEMS = {
  unauthorized: { status: 401, title: "Missing or invalid credentials" },
  insufficient_user_authentication: {
    status: 401,
    title: "This takes a more recent sign-in; sign in again and repeat the request",
  },
  forbidden: { status: 403, title: "Your role does not allow this operation" },
  operator_refused: { status: 403, title: "Your access was withdrawn" },
  own_access: { status: 403, title: "A different person must change your access" },
  malformed_json: { status: 400, title: "Request body is not valid JSON" },
  malformed_request: { status: 400, title: "Malformed HTTP request" },
  validation_failed: { status: 400, title: "Some fields are not valid" },
  unsupported_media_type: { status: 415, title: "Content-Type must be application/json" },
  payload_too_large: { status: 413, title: "Request body too large" },
  payment_not_found: { status: 404, title: "Payment not found" },
  checkout_not_found: { status: 404, title: "Checkout not found" },
  payment_link_not_found: { status: 404, title: "Payment link not found" },
  refund_not_found: { status: 404, title: "Refund not found" },
  bin_not_found: { status: 404, title: "BIN not found" },
  three_ds_session_not_found: { status: 404, title: "3-D Secure session not found" },
  merchant_not_found: { status: 404, title: "Merchant not found" },
  credential_not_found: { status: 404, title: "Credential not found" },
  refused_operator_not_found: { status: 404, title: "Refused operator not found" },
  webhook_not_found: { status: 404, title: "Webhook not found" },
  webhook_url_in_use: { status: 409, title: "Another webhook endpoint of the merchant has this URL" },
  too_many_webhooks: { status: 409, title: "The merchant has as many webhook endpoints as are allowed" },
  delivery_not_found: { status: 404, title: "Webhook delivery not found" },
  settlement_not_found: { status: 404, title: "Settlement file not found" },
  chargeback_not_found: { status: 404, title: "Chargeback not found" },
  difference_not_found: { status: 404, title: "Difference not found" },
  route_not_found: { status: 404, title: "Endpoint not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  invalid_payment_state: { status: 409, title: "The payment's status does not allow this operation" },
  checkout_not_open: { status: 409, title: "The checkout has ended already" },
  refund_pending: { status: 409, title: "A refund of this payment has not ended yet" },
  already_refunded: { status: 409, title: "Payment already refunded" },
  refund_already_decided: { status: 409, title: "Refund already decided" },
  already_approved_by_you: { status: 409, title: "You have already approved this refund" },
  settlement_already_taken: { status: 409, title: "This file was taken before" },
  chargeback_exists: { status: 409, title: "An open chargeback of this amount exists already" },
  chargeback_ended: { status: 409, title: "The chargeback has an outcome" },
  too_much_evidence: { status: 409, title: "The chargeback has as many files as are allowed" },
  difference_ended: { status: 409, title: "Difference already closed or resolved" },
  payment_not_captured: { status: 409, title: "Nothing of the payment is captured" },
  chargeback_amount_exceeds_captured: {
    status: 422,
    title: "Chargeback exceeds what is captured and not charged back yet",
  },
  payment_not_refundable: { status: 409, title: "Payment cannot be refunded" },
  refund_amount_exceeds_remaining: {
    status: 422,
    title: "Refund exceeds the remaining refundable amount",
  },
  currency_mismatch: { status: 422, title: "Currency does not match the payment" },
  capture_amount_exceeds_authorized: { status: 422, title: "Capture exceeds the authorized amount" },
  installments_not_allowed: { status: 422, title: "Number of installments not supported by this card" },
  loyalty_not_allowed: { status: 422, title: "Loyalty programme not supported by this card" },
  no_acquirer_account: { status: 422, title: "No account at a bank takes this payment" },
  bank_requires_field: { status: 422, title: "The bank needs a field that the request does not have" },
  acquirer_account_not_found: { status: 404, title: "Acquirer account not found" },
  acquirer_account_exists: { status: 409, title: "An acquirer account of this name exists already" },
  nothing_to_confirm: { status: 409, title: "There is no such proposal" },
  acquirer_declined: { status: 422, title: "Declined by the bank" },
  order_undecided: { status: 409, title: "An earlier attempt at this order is not decided yet" },
  operation_in_progress: { status: 409, title: "Another operation on this payment is in progress" },
  bank_says_settled: { status: 409, title: "The bank says that the money stands" },
  reversal_pending: { status: 409, title: "The bank has not acknowledged the reversal yet" },
  too_young: { status: 409, title: "The request may still be under way; try again later" },
  approver_limit_reached: { status: 403, title: "You have reached what you may approve in 24 hours" },
  same_person: { status: 403, title: "A different person must approve this" },
  idempotency_key_in_use: {
    status: 409,
    title: "A request with this Idempotency-Key is still in progress",
  },
  idempotency_key_reused: {
    status: 422,
    title: "Idempotency-Key already used for a different request",
  },
  rate_limited: { status: 429, title: "Too many requests" },
  request_timeout: { status: 408, title: "Request timed out" },
  headers_too_large: { status: 431, title: "Request headers too large" },
  service_unavailable: {
    status: 503,
    title: "Service unavailable; nothing was started, so the request can be retried safely",
  },
  outcome_unknown: {
    status: 504,
    title: "Outcome unknown; look it up before retrying the request",
  },
  internal_error: { status: 500, title: "Internal server error" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** RFC 9457 `type` of a code. */
export function problemType(code: ProblemCode): string {
  return `urn:holdfast:problem:${code}`;
}

/** What can be wrong with a field. `validation_failed` names every fault with one of them. */
const FIELD_CODES = [
  "required",
  "invalid_type",
  "invalid_value",
  "invalid_format",
  "out_of_range",
  "too_small",
  "too_big",
  "too_short",
  "too_long",
  "invalid_characters",
  "card_number",
  "luhn",
  "expired",
  "too_far",
  "invalid_amount",
  "must_be_positive",
  "too_many_decimals",
  "too_large",
  "invalid_currency",
  "invalid_ip_address",
  "invalid_url",
  "not_https",
  "not_allowed",
  "duplicate",
  "sum_mismatch",
  "invalid_cursor",
  "unknown_field",
  "unknown_parameter",
  "forbidden_key",
  "low_contrast",
  "invalid_logo",
] as const;

export const fieldFaultSchema = z
  .object({
    field: z.string().meta({ description: "Path of the field; `body` stands for the whole body" }),
    code: z.string().meta({
      description: `Stable code for programs, among them ${FIELD_CODES.map((code) => `\`${code}\``).join(", ")}`,
      examples: ["required", "too_many_decimals"],
    }),
    message: z.string().meta({ description: "Explanation for people; it never repeats the value" }),
  })
  .meta({ id: "FieldFault" });
export type FieldFault = z.infer<typeof fieldFaultSchema>;

export const problemSchema = z
  .object({
    type: z
      .string()
      .meta({ description: "`code` as a URN", examples: ["urn:holdfast:problem:validation_failed"] }),
    title: z.string().meta({ description: "What `code` means, for people; its words can change" }),
    status: z.int().meta({ description: "HTTP status of the answer" }),
    detail: z
      .string()
      .optional()
      .meta({ description: "What is wrong with this request, for people; its words can change" }),
    instance: z
      .string()
      .meta({ description: "Identifies this occurrence of the problem", examples: ["urn:uuid:0199…"] }),
    code: z.enum(PROBLEM_CODES).meta({
      id: "ProblemCode",
      description: PROBLEM_CODES.map(
        (code) => `- \`${code}\` (${PROBLEMS[code].status}): ${PROBLEMS[code].title}`,
      ).join("\n"),
    }),
    requestId: z.uuid().meta({ description: "Id of the request; name it when you ask for support" }),
    errors: z
      .array(fieldFaultSchema)
      .optional()
      .meta({ description: "Present with `validation_failed`: every fault of the request" }),
    currentStatus: paymentStatusSchema
      .optional()
      .meta({ description: "Present with `invalid_payment_state` and `payment_not_captured`" }),
    capturableAmount: z
      .number()
      .optional()
      .meta({ description: "Present with `capture_amount_exceeds_authorized`" }),
    remainingRefundableAmount: z
      .number()
      .optional()
      .meta({ description: "Present with `refund_amount_exceeds_remaining`" }),
    disputableAmount: z
      .number()
      .optional()
      .meta({ description: "Present with `chargeback_amount_exceeds_captured`" }),
    pendingRefundAmount: z
      .number()
      .optional()
      .meta({ description: "Present with `refund_pending`: the amount of refunds that have not ended" }),
    refundedAmount: z.number().optional().meta({ description: "Present with `already_refunded`" }),
    allowed: z
      .array(z.union([z.int(), z.string()]))
      .optional()
      .meta({
        description:
          "Present with `installments_not_allowed`: the numbers that the card supports; with `loyalty_not_allowed`: the " +
          "codes that it has",
      }),
    field: z
      .string()
      .optional()
      .meta({
        description: "Present with `bank_requires_field`: the path of the field",
        examples: ["customer.email"],
      }),
    maxAge: z.int().optional().meta({
      description:
        "Present with `insufficient_user_authentication`: within how many seconds the person has to have signed in",
    }),
    resultCode: z.string().optional().meta({ description: "Present with `acquirer_declined`" }),
    resultMessage: z.string().optional().meta({ description: "Present with `acquirer_declined`" }),
    paymentId: z.uuid().optional().meta({
      description: "Present with `outcome_unknown` and `order_undecided`: the payment to look up",
    }),
  })
  .meta({ id: "Problem", description: "RFC 9457 problem details" });
export type Problem = z.infer<typeof problemSchema>;
