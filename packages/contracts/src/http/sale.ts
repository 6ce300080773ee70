import { z } from "zod";
import { textSchema } from "../text.ts";
import { wholeNumberField } from "../whole-number.ts";
import { amountSchema, checkAmount, type AddFault } from "./amount-field.ts";
import { cardPaymentFields, checkCardPaymentFields, INSTALLMENTS_MAX } from "./card-payment-fields.ts";

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
    installmentTotal: amountSchema()
      .optional()
      .meta({
        description:
          "What the card is charged in all, where the buyer pays for the installments: the `installmentTotal` of " +
          "`GET /api/bins/{bin}`, and any other is refused. Left out, `amount` is charged",
        examples: [12.97],
      }),
    loyaltyCode: textSchema(1, 32)
      .optional()
      .meta({
        description: "The card's programme, as `GET /api/bins/{bin}` names it; any other is refused",
        examples: ["BONUS"],
      }),
  })
  .meta({ id: "SaleRequest" });

/** Adds the faults between the fields, as {@link checkCardPaymentFields} does. */
export function checkSale(fields: Record<string, unknown>, now: Date, addFault: AddFault): void {
  checkCardPaymentFields(fields, now, addFault);
  checkAmount(fields, addFault, "installmentTotal");
}
