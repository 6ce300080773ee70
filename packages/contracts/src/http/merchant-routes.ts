import { z } from "zod";
import { textSchema } from "../text.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { proposalSchema } from "./acquirer-accounts.ts";
import { DOM_INT } from "./bin.ts";
import { currencySchema } from "./card-payment-fields.ts";

export const routeSchema = z
  .object({
    currency: currencySchema().optional(),
    domInt: z.enum(DOM_INT).optional().meta({
      description: "Only payments with a card of the acquirer's country (DOM), or of another one (INT)",
    }),
    cardScheme: textSchema(1, 32).optional(),
    loyaltyCode: textSchema(1, 32).optional(),
    installmentsFrom: wholeNumberSchema(1, 36, "Only payments in at least so many installments").optional(),
    accountId: z.uuid().meta({ description: "Account at an acquirer that such payments go to" }),
    retrySoftDeclines: z.boolean().optional().meta({
      description:
        "A payment that this account has declined softly is sent once more, to the next account of its route that is at another bank; never with 3-D Secure, nor a payment that the merchant began or that recurs",
    }),
  })
  .meta({ id: "MerchantRoute" });

export const merchantRoutesSchema = z
  .object({
    routes: z
      .array(routeSchema)
      .meta({ description: "The routes in use; the first one that names a payment wins" }),
    version: z.int().optional().meta({ description: "The version in use; absent until one is confirmed" }),
    proposal: proposalSchema
      .extend({ routes: z.array(routeSchema).meta({ description: "The routes that would be in use" }) })
      .optional()
      .meta({ description: "The version that another person has to confirm" }),
  })
  .meta({ id: "MerchantRoutes" });

export type MerchantRoutes = z.infer<typeof merchantRoutesSchema>;
