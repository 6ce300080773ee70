import { z } from "zod";
import { cardPaymentFields } from "./card-payment-fields.ts";

/** Body of a refund request (spec, Refund request). */
export const refundRequestSchema = z
  .object({
    amount: cardPaymentFields.amount.meta({
      description: "At most the remaining refundable amount; pending refunds reduce it",
    }),
    currency: cardPaymentFields.currency.meta({ description: "Currency of the payment" }),
  })
  .meta({ id: "RefundRequest" });
