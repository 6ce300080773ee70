import { z } from "zod";
import { textSchema } from "../text.ts";

/**
 * The merchant's own fields of a card payment: sent with it, stored with it, and shown as they were sent. Requests,
 * commands, records and the console's page of a payment take them from here.
 */
export const merchantFields = {
  customerId: textSchema(1, 64, { is: "id" })
    .optional()
    .meta({ description: "Merchant's id of the customer; no card number" }),
};

/** The merchant's fields in commands and records. */
export const shownMerchantFields = {
  customerId: z.string().optional().meta({ description: "Merchant's id of the customer, if it gave one" }),
} satisfies Record<keyof typeof merchantFields, z.ZodType>;

const shownSchema = z.object(shownMerchantFields);
export type MerchantFields = z.infer<typeof shownSchema>;

/** The names of the merchant's fields, in the order in which they are shown. */
export const MERCHANT_FIELDS = shownSchema.keyof().options;

/** Only the merchant's own fields of a validated request. */
export function merchantFieldsOf(request: MerchantFields): MerchantFields {
  return shownSchema.parse(request);
}
