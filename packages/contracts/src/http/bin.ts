import { z } from "zod";
import { defineEndpoint } from "./endpoint.ts";

/** A BIN as it may be asked for: the first 6, 7 or 8 digits of a card number. */
export const binSchema = z.string().regex(/^\d{6,8}$/, { error: "must be 6 to 8 digits" });

export const binInfoSchema = z
  .object({
    bin: binSchema.meta({ description: "The BIN of the request", examples: ["411111"] }),
    cardScheme: z.string().meta({ description: "Card scheme", examples: ["VISA"] }),
    cardType: z.enum(["CREDIT", "DEBIT", "PREPAID"]).meta({ description: "Type of the card" }),
    cardSubType: z
      .string()
      .optional()
      .meta({ description: "Sub-type of the card, if known", examples: ["CLASSIC"] }),
    issuer: z.string().optional().meta({ description: "Issuing bank, if known" }),
    country: z.string().meta({ description: "Country of the issuer (ISO 3166-1 alpha-2)", examples: ["TR"] }),
    domInt: z.enum(["DOM", "INT"]).meta({ description: "Domestic or international card" }),
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

export const bin = defineEndpoint({
  operationId: "getBin",
  listener: "merchant",
  method: "GET",
  path: "/api/bins/{bin}",
  summary: "Look up a BIN",
  description:
    "Returns a card's scheme, type, country and installments by the first 6 to 8 digits of its number. " +
    "Issuers share the first six digits, so send eight if you have them. Do not store more than eight digits " +
    "of a card number.",
  pathParameters: z.object({
    bin: binSchema.meta({
      pattern: "^[0-9]{6,8}$",
      description: "First 6, 7 or 8 digits of the card number",
    }),
  }),
  responses: { 200: { description: "What is known of the BIN", body: binInfoSchema } },
  problems: ["validation_failed", "bin_not_found"],
});
