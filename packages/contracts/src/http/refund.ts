import { z } from "zod";
import { textSchema } from "../text.ts";
import { cardPaymentFields } from "./card-payment-fields.ts";

/** Body of a refund request (spec, Refund request). */
export const refundRequestSchema = z
  .object({
    amount: cardPaymentFields.amount.meta({
      description: "At most the remaining refundable amount; pending refunds reduce it",
    }),
    currency: cardPaymentFields.currency.meta({ description: "Currency of the payment" }),
    reason: textSchema(1, 200).optional().meta({
      description:
        "Why it is asked for; shown to the operators who decide and to the merchant's own staff, and to nobody else",
    }),
  })
  .meta({ id: "RefundRequest" });
