import { z } from "zod";

/** A BIN as it may be asked for: the first 6, 7 or 8 digits of a card number. */
export const binSchema = z.string().regex(/^\d{6,8}$/, { error: "must be 6 to 8 digits" });

/** The types of cards that tables of BINs, plans and lists name. */
export const CARD_TYPES = ["CREDIT", "DEBIT", "PREPAID"] as const;

/** Cards of the acquirer's country, and those of another one. */
export const DOM_INT = ["DOM", "INT"] as const;

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
  })
  .meta({ id: "BinInfo" });

export type BinInfo = z.infer<typeof binInfoSchema>;
