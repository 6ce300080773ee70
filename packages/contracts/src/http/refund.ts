import { z } from "zod";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { cardPaymentFields } from "./card-payment-fields.ts";
import { BODY_PROBLEMS, defineEndpoint, IDEMPOTENCY_PROBLEMS, pathId } from "./endpoint.ts";

/** Body of a refund request (spec, Refund request). */
export const refundRequestSchema = z
  .object({
    amount: cardPaymentFields.amount.meta({
      description: "At most what remains of the payment; pending refunds count against it",
    }),
    currency: cardPaymentFields.currency.meta({ description: "The payment's" }),
  })
  .meta({ id: "RefundRequest" });

export const refund = defineEndpoint({
  operationId: "requestRefund",
  listener: "merchant",
  method: "POST",
  path: "/api/payment/{paymentId}/refund",
  summary: "Ask for a refund; it is carried out once operators have approved it",
  description:
    "The answer is a record of its own, with its own `paymentId`: query that, or wait for its webhook. The amount is " +
    "reserved at once, so that refunds never add up to more than the payment.",
  pathParameters: z.object({ paymentId: pathId }),
  notFound: "payment_not_found",
  request: refundRequestSchema,
  responses: {
    202: {
      description: "Accepted; its status is PENDING_APPROVAL",
      body: apiPaymentResponseSchema,
      headers: { Location: "/api/payment/{refund's paymentId}" },
    },
  },
  problems: [
    ...BODY_PROBLEMS,
    ...IDEMPOTENCY_PROBLEMS,
    "payment_not_found",
    "payment_not_refundable",
    "refund_amount_exceeds_remaining",
    "currency_mismatch",
    "operation_in_progress",
    "outcome_unknown",
  ],
});
