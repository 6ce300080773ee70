import { z } from "zod";
import { textSchema } from "../text.ts";
import { wholeNumberField } from "../whole-number.ts";
import { apiPaymentResponseSchema } from "./api-payment-response.ts";
import { cardPaymentFields, INSTALLMENTS_MAX } from "./card-payment-fields.ts";
import { BODY_PROBLEMS, defineEndpoint, IDEMPOTENCY_PROBLEMS } from "./endpoint.ts";

/** Body of POST /api/payment: a pre-authorization's fields, and how the buyer pays it off. */
export const saleRequestSchema = z
  .object({
    ...cardPaymentFields,
    installmentCount: wholeNumberField(1, INSTALLMENTS_MAX, { default: 1 }).optional(),
    loyaltyCode: textSchema(1, 32).optional(),
  })
  .meta({ id: "SaleRequest" });

export const sale = defineEndpoint({
  operationId: "pay",
  listener: "merchant",
  method: "POST",
  path: "/api/payment",
  summary: "Take a payment at once: reserve and capture in one step",
  request: saleRequestSchema,
  responses: {
    201: {
      description: "Created: SUCCESS, FAILED or REJECTED",
      body: apiPaymentResponseSchema,
      headers: { Location: "/api/payment/{paymentId}" },
    },
    202: {
      description: "The outcome at the bank is not known yet: ENROLLED; query the payment",
      body: apiPaymentResponseSchema,
      headers: { Location: "/api/payment/{paymentId}", "Retry-After": "Seconds until a query makes sense" },
    },
  },
  problems: [...BODY_PROBLEMS, ...IDEMPOTENCY_PROBLEMS, "installments_not_allowed", "outcome_unknown"],
});
