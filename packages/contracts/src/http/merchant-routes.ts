import { z } from "zod";
import { textSchema } from "../text.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { confirmRequestSchema, proposalSchema } from "./acquirer-accounts.ts";
import { currencySchema } from "./card-payment-fields.ts";
import { BODY_PROBLEMS, defineEndpoint, pathId } from "./endpoint.ts";

export const routeSchema = z
  .object({
    currency: currencySchema().optional(),
    domInt: z.enum(["DOM", "INT"]).optional().meta({
      description: "Only payments with a card of the acquirer's country (DOM), or of another one (INT)",
    }),
    cardScheme: textSchema(1, 32).optional(),
    loyaltyCode: textSchema(1, 32).optional(),
    installmentsFrom: wholeNumberSchema(1, 36, "Only payments in at least so many installments").optional(),
    accountId: z.uuid().meta({ description: "Account at an acquirer that such payments go to" }),
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

const ofMerchant = {
  pathParameters: z.object({ merchantId: pathId("The merchant") }),
  notFound: "merchant_not_found",
} as const;
const routes = (description: string) => ({ description, body: merchantRoutesSchema });

export const getMerchantRoutes = defineEndpoint({
  listener: "operator",
  role: "viewer",
  operationId: "getMerchantRoutes",
  method: "GET",
  path: "/operator/merchants/{merchantId}/routes",
  ...ofMerchant,
  summary: "Read which accounts a merchant's payments go to",
  responses: { 200: routes("The routes in use, and a proposal") },
  problems: ["forbidden", "merchant_not_found"],
});

export const putMerchantRoutes = defineEndpoint({
  listener: "operator",
  role: "admin",
  recentSignIn: true,
  operationId: "putMerchantRoutes",
  method: "PUT",
  path: "/operator/merchants/{merchantId}/routes",
  ...ofMerchant,
  summary: "Replace a merchant's routes",
  description: "The first route that names a payment wins; where none does, the default account takes it.",
  request: z.array(routeSchema).max(100),
  responses: { 200: routes("The routes, with the proposal where another person has to confirm it") },
  problems: [...BODY_PROBLEMS, "forbidden", "merchant_not_found"],
});

export const confirmMerchantRoutes = defineEndpoint({
  listener: "operator",
  role: "admin",
  recentSignIn: true,
  operationId: "confirmMerchantRoutes",
  method: "POST",
  path: "/operator/merchants/{merchantId}/routes/confirm",
  ...ofMerchant,
  summary: "Confirm the routes that another person has proposed",
  request: confirmRequestSchema,
  responses: { 200: routes("The routes as they are in use now") },
  problems: [...BODY_PROBLEMS, "forbidden", "merchant_not_found", "nothing_to_confirm", "same_person"],
});

export const MERCHANT_ROUTE_ENDPOINTS = [getMerchantRoutes, putMerchantRoutes, confirmMerchantRoutes];
