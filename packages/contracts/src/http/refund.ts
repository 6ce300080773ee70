import { z } from "zod";
import { refundSchema } from "./api-payment-response.ts";
import { cardPaymentFields } from "./card-payment-fields.ts";
import { BODY_PROBLEMS, defineEndpoint, IDEMPOTENCY_PROBLEMS, pathId } from "./endpoint.ts";

/** Body of a refund request (spec, Refund request). */
export const refundRequestSchema = z
  .object({
    amount: cardPaymentFields.amount.meta({
      description: "At most the remaining refundable amount; pending refunds reduce it",
    }),
    currency: cardPaymentFields.currency.meta({ description: "Currency of the payment" }),
  })
  .meta({ id: "RefundRequest" });

export const refund = defineEndpoint({
  operationId: "requestRefund",
  listener: "merchant",
  method: "POST",
  path: "/api/payment/{paymentId}/refund",
  work: "write",
  summary: "Request a refund",
  description:
    "Requests a refund, which is carried out once operators have approved it. The refund has its own `paymentId`: query " +
    "that, or wait for its webhook. The amount is reserved immediately, so that refunds never add up to more than the " +
    "payment.",
  pathParameters: z.object({ paymentId: pathId("Id of the payment to refund") }),
  notFound: "payment_not_found",
  request: refundRequestSchema,
  responses: {
    202: {
      description: "Accepted, with status PENDING_APPROVAL",
      body: refundSchema,
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
