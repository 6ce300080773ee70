import { z } from "zod";
import { textSchema } from "../text.ts";
import { wholeNumberField } from "../whole-number.ts";
import { cardPaymentFields, INSTALLMENTS_MAX } from "./card-payment-fields.ts";

/** Body of POST /api/payment: a pre-authorization's fields, and how the buyer pays it off. */
export const saleRequestSchema = z
  .object({
    ...cardPaymentFields,
    installmentCount: wholeNumberField(1, INSTALLMENTS_MAX)
      .optional()
      .meta({
        description:
          "Number of installments that the buyer pays in, of those that `GET /api/bins/{bin}` names; 1, or " +
          "none, for payment in full",
      }),
    loyaltyCode: textSchema(1, 32)
      .optional()
      .meta({
        description: "The card's programme, as `GET /api/bins/{bin}` names it; any other is refused",
        examples: ["BONUS"],
      }),
  })
  .meta({ id: "SaleRequest" });
