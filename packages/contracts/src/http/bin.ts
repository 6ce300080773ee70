import { z } from "zod";
import type { FieldCode } from "../field-codes.ts";
import { currencyExponent, parseJsonAmount } from "../money.ts";
import { AMOUNT_FAULT_MESSAGES } from "./amount-field.ts";
import { currencySchema } from "./card-payment-fields.ts";

/** A BIN as it may be asked for: the first 6, 7 or 8 digits of a card number. */
export const binSchema = z.string().regex(/^\d{6,8}$/, { error: "must be 6 to 8 digits" });

/** The types of cards that tables of BINs, plans and lists name. */
export const CARD_TYPES = ["CREDIT", "DEBIT", "PREPAID"] as const;

/** Cards of the acquirer's country, and cards of other countries. */
export const DOM_INT = ["DOM", "INT"] as const;

/** The order whose installments are requested; both fields or neither. */
export const binQuerySchema = z
  .object({
    amount: z
      .string()
      .max(40)
      .optional()
      .meta({ description: "The price of the order, as `amount` of the payment", examples: ["1249.90"] }),
    currency: currencySchema().optional().meta({ description: "Currency of `amount`, by its ISO 4217 code" }),
  })
  .check(({ value: { amount, currency }, issues }) => {
    const addFault = (field: "amount" | "currency", code: FieldCode, message: string) =>
      issues.push({ code: "custom", input: undefined, path: [field], params: { code }, message });
    if (amount !== undefined && currency === undefined) addFault("currency", "required", "is required");
    if (amount === undefined && currency !== undefined) addFault("amount", "required", "is required");
    if (amount === undefined || currency === undefined) return;
    const exponent = currencyExponent(currency);
    if (exponent === undefined) return;
    const parsed = parseJsonAmount(amount, exponent);
    if (typeof parsed !== "bigint") addFault("amount", parsed, AMOUNT_FAULT_MESSAGES[parsed]);
  });

export const binInfoSchema = z
  .object({
    bin: binSchema.meta({ description: "The BIN of the request", examples: ["411111"] }),
    cardScheme: z.string().meta({ description: "Card scheme", examples: ["VISA"] }),
    cardType: z.enum(CARD_TYPES).meta({ description: "Type of the card" }),
    cardSubType: z
      .string()
      .optional()
      .meta({ description: "Sub-type of the card, if known", examples: ["CLASSIC"] }),
    issuer: z.string().optional().meta({ description: "Issuing bank, if known" }),
    country: z.string().meta({ description: "Country of the issuer (ISO 3166-1 alpha-2)", examples: ["TR"] }),
    domInt: z.enum(DOM_INT).meta({ description: "Domestic or international card" }),
    loyaltyCode: z
      .string()
      .optional()
      .meta({ description: "The card's loyalty programme, if it has one", examples: ["BONUS"] }),
    installmentCounts: z.array(z.int()).meta({
      description: "Numbers of installments that a payment can be split into",
      examples: [[1, 2, 3]],
    }),
    installments: z
      .array(
        z.object({
          installmentCount: z.int().meta({ description: "Number of installments" }),
          installmentTotal: z
            .number()
            .meta({ description: "What the card is charged in all, if the payment's request has it" }),
          parts: z
            .array(z.number())
            .meta({ description: "Each installment, the first one first; they add up to the total" }),
        }),
      )
      .optional()
      .meta({
        description:
          "With `amount` and `currency`: the cost of the order in each number of installments, at the account that the " +
          "payment would go to",
      }),
  })
  .meta({ id: "BinInfo" });

export type BinInfo = z.infer<typeof binInfoSchema>;
