import { z } from "zod";
import { textSchema } from "../text.ts";
import { paymentSchema } from "./api-payment-response.ts";
import { amountSchema, currencySchema } from "./card-payment-fields.ts";
import { BODY_PROBLEMS, defineEndpoint, IDEMPOTENCY_PROBLEMS, pathId } from "./endpoint.ts";

const paymentPath = z.object({ paymentId: pathId("Id of the payment") });

/** The responses of both operations. */
const responses = {
  200: { description: "The operation was carried out", body: paymentSchema },
  202: {
    description:
      "The outcome at the bank is not known yet. The body shows the payment as it was before; query it later",
    body: paymentSchema,
    headers: { "Retry-After": "Seconds to wait before a query" },
  },
};
const problems = [
  ...BODY_PROBLEMS,
  ...IDEMPOTENCY_PROBLEMS,
  "payment_not_found",
  "invalid_payment_state",
  "refund_pending",
  "already_refunded",
  "operation_in_progress",
  "acquirer_declined",
  "outcome_unknown",
] as const;

/** Body of a capture; without an amount, all that can be captured. */
export const captureRequestSchema = z
  .object({
    amount: amountSchema().optional(),
    currency: currencySchema().optional(),
  })
  .meta({ id: "CaptureRequest" });

export const capture = defineEndpoint({
  operationId: "capture",
  listener: "merchant",
  method: "POST",
  path: "/api/payment/{paymentId}/capture",
  summary: "Capture a payment",
  description:
    "Captures all or part of a pre-authorization's funds, once. Without an `amount`, everything that can " +
    "still be captured is captured.",
  pathParameters: paymentPath,
  notFound: "payment_not_found",
  request: captureRequestSchema,
  bodyOptional: true,
  responses,
  problems: [...problems, "capture_amount_exceeds_authorized", "currency_mismatch"],
});

export const cancelRequestSchema = z
  .object({
    reason: textSchema(1, 200)
      .optional()
      .meta({
        description: "Shown in the payment, its webhook and the lists as `cancelReason`",
        examples: ["The order was withdrawn"],
      }),
  })
  .meta({ id: "CancelRequest" });

export const cancel = defineEndpoint({
  operationId: "cancel",
  listener: "merchant",
  method: "POST",
  path: "/api/payment/{paymentId}/cancel",
  summary: "Cancel a payment",
  description: "Releases a pre-authorization's reserved funds, or voids a sale on its business day.",
  pathParameters: paymentPath,
  notFound: "payment_not_found",
  request: cancelRequestSchema,
  bodyOptional: true,
  responses,
  problems,
});
