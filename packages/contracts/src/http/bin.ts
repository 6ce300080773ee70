import { z } from "zod";
import { defineEndpoint } from "./endpoint.ts";

/** A BIN as it may be asked for: the first 6, 7 or 8 digits of a card number. */
export const binSchema = z.string().regex(/^\d{6,8}$/, { error: "must be 6 to 8 digits" });

export const binInfoSchema = z
  .object({
    bin: binSchema.meta({ description: "As it was asked for", examples: ["411111"] }),
    cardScheme: z.string().meta({ examples: ["VISA"] }),
    cardType: z.enum(["CREDIT", "DEBIT", "PREPAID"]),
    cardSubType: z
      .string()
      .optional()
      .meta({ examples: ["CLASSIC"] }),
    issuer: z.string().optional().meta({ description: "The bank, if known" }),
    country: z.string().meta({ description: "ISO 3166-1 alpha-2 of the issuer", examples: ["TR"] }),
    domInt: z.enum(["DOM", "INT"]).meta({ description: "Domestic or international" }),
    loyaltyCode: z.string().optional(),
    installmentCounts: z
      .array(z.int())
      .meta({ description: "What a payment may be split into", examples: [[1, 2, 3]] }),
  })
  .meta({ id: "BinInfo" });
export type BinInfo = z.infer<typeof binInfoSchema>;

export const bin = defineEndpoint({
  operationId: "getBin",
  listener: "merchant",
  method: "GET",
  path: "/api/bins/{bin}",
  summary: "What a card's first digits tell: scheme, type, country, installments",
  description:
    "More digits can tell more: issuers share the first six. Ask with eight where you have them, and do not keep more than that of a card number.",
  pathParameters: z.object({ bin: binSchema.meta({ pattern: "^[0-9]{6,8}$" }) }),
  responses: { 200: { description: "What is known", body: binInfoSchema } },
  problems: ["validation_failed", "bin_not_found"],
});
