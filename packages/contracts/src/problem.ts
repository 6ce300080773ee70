import { z } from "zod";
import { paymentStatusSchema } from "./payment-status.ts";

/**
 * Every error a Holdfast API answers with, as RFC 9457 `application/problem+json`. The one list of codes: status and
 * title belong to the code, `detail` and the extra members to the occurrence.
 */
export const PROBLEMS = {
  unauthorized: { status: 401, title: "Valid credentials are missing" },
  forbidden: { status: 403, title: "The role does not allow this" },
  malformed_json: { status: 400, title: "The body is not valid JSON" },
  malformed_request: { status: 400, title: "The request is not valid HTTP" },
  validation_failed: { status: 400, title: "Some fields are not valid" },
  unsupported_media_type: { status: 415, title: "The body must be application/json" },
  payload_too_large: { status: 413, title: "The body is too large" },
  payment_not_found: { status: 404, title: "There is no such payment" },
  checkout_not_found: { status: 404, title: "There is no such checkout" },
  refund_not_found: { status: 404, title: "There is no such refund" },
  bin_not_found: { status: 404, title: "Nothing is known of this BIN" },
  three_ds_session_not_found: { status: 404, title: "There is no such 3-D Secure session" },
  merchant_not_found: { status: 404, title: "There is no such merchant" },
  credential_not_found: { status: 404, title: "There is no such credential" },
  webhook_not_found: { status: 404, title: "The merchant has no webhooks" },
  delivery_not_found: { status: 404, title: "There is no such delivery" },
  route_not_found: { status: 404, title: "There is no such route" },
  method_not_allowed: { status: 405, title: "The route does not have this method" },
  invalid_payment_state: { status: 409, title: "The payment's state does not allow this" },
  refund_already_decided: { status: 409, title: "The refund has been decided" },
  already_approved_by_you: { status: 409, title: "You have approved this; somebody else has to" },
  payment_not_refundable: { status: 409, title: "The payment cannot be refunded" },
  refund_amount_exceeds_remaining: {
    status: 422,
    title: "The refund is more than what remains of the payment",
  },
  currency_mismatch: { status: 422, title: "The payment has another currency" },
  capture_amount_exceeds_authorized: { status: 422, title: "The capture is more than what is authorized" },
  installments_not_allowed: { status: 422, title: "The card does not allow this number of installments" },
  acquirer_declined: { status: 422, title: "The bank declined" },
  operation_in_progress: { status: 409, title: "Something else is being done with this payment" },
  same_person: { status: 403, title: "This takes two different people" },
  idempotency_key_in_use: {
    status: 409,
    title: "The first request with this Idempotency-Key is still running",
  },
  idempotency_key_reused: {
    status: 422,
    title: "This Idempotency-Key was used for another request",
  },
  rate_limited: { status: 429, title: "Too many requests" },
  request_timeout: { status: 408, title: "The request did not arrive in time" },
  headers_too_large: { status: 431, title: "The request headers are too large" },
  service_unavailable: { status: 503, title: "Nothing was started; it is safe to repeat the request" },
  outcome_unknown: {
    status: 504,
    title: "The request may have been carried out; look it up before repeating it",
  },
  internal_error: { status: 500, title: "Something went wrong on our side" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** RFC 9457 `type` of a code. */
export function problemType(code: ProblemCode): string {
  return `urn:holdfast:problem:${code}`;
}

export const fieldFaultSchema = z
  .object({
    field: z.string().meta({ description: "Path of the field, `body` for the whole body" }),
    code: z
      .string()
      .meta({ description: "Stable, for programs", examples: ["required", "too_many_decimals"] }),
    message: z.string().meta({ description: "For people; never repeats the value" }),
  })
  .meta({ id: "FieldFault" });
export type FieldFault = z.infer<typeof fieldFaultSchema>;

export const problemSchema = z
  .object({
    type: z.string().meta({ examples: ["urn:holdfast:problem:validation_failed"] }),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    instance: z.string().meta({ description: "Names this occurrence", examples: ["urn:uuid:0199…"] }),
    code: z.enum(PROBLEM_CODES).meta({ id: "ProblemCode" }),
    requestId: z.uuid(),
    errors: z
      .array(fieldFaultSchema)
      .optional()
      .meta({ description: "With validation_failed: every fault at once" }),
    currentStatus: paymentStatusSchema.optional().meta({ description: "With invalid_payment_state" }),
    capturableAmount: z.number().optional().meta({ description: "With capture_amount_exceeds_authorized" }),
    remainingRefundableAmount: z
      .number()
      .optional()
      .meta({ description: "With refund_amount_exceeds_remaining" }),
    allowed: z.array(z.int()).optional().meta({ description: "With installments_not_allowed" }),
    resultCode: z.string().optional().meta({ description: "With acquirer_declined" }),
    resultMessage: z.string().optional().meta({ description: "With acquirer_declined" }),
    paymentId: z.uuid().optional().meta({ description: "With outcome_unknown: look this id up" }),
  })
  .meta({ id: "Problem", description: "RFC 9457 problem details" });
export type Problem = z.infer<typeof problemSchema>;
