import { z } from "zod";
import { textSchema } from "../text.ts";
import { wholeNumberField } from "../whole-number.ts";
import { paymentSchema } from "./api-payment-response.ts";
import { cardPaymentFields, INSTALLMENTS_MAX } from "./card-payment-fields.ts";
import { CARD_PAYMENT_PROBLEMS, defineEndpoint } from "./endpoint.ts";

/** Body of POST /api/payment: a pre-authorization's fields, and how the buyer pays it off. */
export const saleRequestSchema = z
  .object({
    ...cardPaymentFields,
    installmentCount: wholeNumberField(1, INSTALLMENTS_MAX, { default: 1 })
      .optional()
      .meta({
        description:
          "Number of installments that the buyer pays in, of those that `GET /api/bins/{bin}` names; 1 for " +
          "payment in full",
      }),
    loyaltyCode: textSchema(1, 32)
      .optional()
      .meta({
        description: "The card's programme, as `GET /api/bins/{bin}` names it; any other is refused",
        examples: ["BONUS"],
      }),
  })
  .meta({ id: "SaleRequest" });

export const sale = defineEndpoint({
  operationId: "pay",
  listener: "merchant",
  method: "POST",
  path: "/api/payment",
  summary: "Create a payment",
  description:
    "Reserves and captures funds on a card in one step. If the bank declines, the payment is created with status FAILED. " +
    "If the outcome at the bank is unknown, the answer is 202 with status ENROLLED, and the gateway settles the payment " +
    "later.",
  request: saleRequestSchema,
  responses: {
    201: {
      description: "Created, with status SUCCESS, FAILED or REJECTED",
      body: paymentSchema,
      headers: { Location: "/api/payment/{paymentId}" },
    },
    202: {
      description:
        "The outcome at the bank is not known yet: the status is ENROLLED; query the payment later",
      body: paymentSchema,
      headers: { Location: "/api/payment/{paymentId}", "Retry-After": "Seconds to wait before a query" },
    },
  },
  problems: [...CARD_PAYMENT_PROBLEMS, "installments_not_allowed", "loyalty_not_allowed"],
});
