import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { textSchema } from "../text.ts";
import { brandingSchema } from "./branding.ts";
import { commissionPlanSchema } from "./commission-plan.ts";
import { restrictionsGiven, restrictionsShown } from "./credential-restrictions.ts";
import {
  cursorParameter,
  limitParameter,
  BODY_PROBLEMS,
  defineEndpoint,
  pathId,
  shownOnceSchema,
} from "./endpoint.ts";
import { exportQuery, pageOf, WITH_ROWS } from "./list-query.ts";
import { merchantRulesSchema } from "./merchant-rules.ts";

/**
 * The settings that operators give a merchant beside its name. POST takes them with the name, and every change takes
 * the same fields.
 */
export const merchantSettingsSchema = z.object({
  commission: commissionPlanSchema.optional(),
  rules: merchantRulesSchema.optional(),
});
export type MerchantSettings = z.infer<typeof merchantSettingsSchema>;

export const createMerchantRequestSchema = z
  .object({
    name: textSchema(1, 100),
    ...merchantSettingsSchema.shape,
    rules: merchantRulesSchema.optional().meta({
      description:
        "Without rules the merchant gets the installation's: 10 payments an hour with one card, 100 from one address, " +
        "and none at a decline rate of 80 % of the last hour's (at least 100). `{}` has no rule",
    }),
  })
  .meta({ id: "CreateMerchantRequest" });

const merchantStatusSchema = z
  .enum(["ACTIVE", "SUSPENDED"])
  .meta({ description: "SUSPENDED: every request of the merchant is answered with 401" });

/** Fields that are left out keep their values. */
export const changeMerchantRequestSchema = z
  .object({
    name: textSchema(1, 100).optional(),
    status: merchantStatusSchema
      .optional()
      .meta({ description: "The API answers a suspended merchant with 401" }),
    commission: commissionPlanSchema.nullable().optional().meta({ description: "`null` removes the plan" }),
    rules: merchantRulesSchema.nullable().optional().meta({ description: "`null` removes the rules" }),
    branding: brandingSchema.nullable().optional().meta({
      description: "How its pages for buyers look; replaces all that was set before, and `null` removes it",
    }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: "must have at least one of name, status, commission, rules and branding",
    params: { code: "nothing_to_change" },
  })
  .meta({ id: "ChangeMerchantRequest" });
export type MerchantChange = z.infer<typeof changeMerchantRequestSchema>;

export const merchantSchema = z
  .object({
    merchantId: z.uuid().meta({ description: "Id of the merchant" }),
    name: z.string().meta({ description: "Name, for people" }),
    status: merchantStatusSchema,
    ...merchantSettingsSchema.shape,
    branding: brandingSchema.optional().meta({ description: "Not in lists" }),
    createdAt: z.iso.datetime().meta({ description: "When it was created (UTC)" }),
    credentials: z
      .array(
        z.object({
          apiKey: z.string().meta({ description: "The key, sent as `X-API-KEY`" }),
          livemode: livemodeSchema.meta({ description: "`false` for a key of test mode" }),
          createdAt: z.iso.datetime().meta({ description: "When it was issued (UTC)" }),
          revokedAt: z.iso
            .datetime()
            .optional()
            .meta({ description: "When it was revoked (UTC); absent while it is valid" }),
          ...restrictionsShown,
          lastUsedOn: z.iso
            .date()
            .optional()
            .meta({ description: "Day of its last use (UTC); absent before the first" }),
          issuedBy: z.string().optional().meta({
            description:
              "Operator who issued it, and who may not decide about what is requested with it; absent where that is not known",
          }),
        }),
      )
      .meta({ description: "Its keys, revoked ones too; a secret is never among them" }),
  })
  .meta({ id: "Merchant" });
export type Merchant = z.infer<typeof merchantSchema>;

/** The logo is left out, since a page of 200 would be mostly logos. */
const listedMerchantSchema = merchantSchema
  .omit({ branding: true })
  .meta({ id: "ListedMerchant", description: "A merchant without its branding" });

export const newCredentialSchema = z
  .object({
    merchantId: z.uuid().meta({ description: "Id of the merchant" }),
    apiKey: z.string().meta({ description: "The key, sent as `X-API-KEY`" }),
    livemode: livemodeSchema.meta({ description: "`false` for a key of test mode" }),
    apiSecret: shownOnceSchema("The gateway stores a keyed hash of it"),
  })
  .meta({ id: "NewCredential" });

export const createdMerchantSchema = newCredentialSchema
  .extend({ name: z.string().meta({ description: "Name, for people" }) })
  .meta({ id: "CreatedMerchant" });

const merchantPath = z.object({ merchantId: pathId("Id of the merchant") });

export const createMerchant = defineEndpoint({
  operationId: "createMerchant",
  listener: "operator",
  method: "POST",
  path: "/operator/merchants",
  work: "write",
  role: "onboarder",
  summary: "Create a merchant",
  description:
    "Creates a merchant with its first key and secret, of live mode. The secret is shown only once.",
  request: createMerchantRequestSchema,
  responses: {
    201: {
      description: "Created",
      body: createdMerchantSchema,
      headers: { Location: "/operator/merchants/{merchantId}" },
    },
  },
  problems: [...BODY_PROBLEMS, "forbidden"],
});

export const listMerchants = defineEndpoint({
  operationId: "listMerchants",
  listener: "operator",
  method: "GET",
  path: "/operator/merchants",
  role: "viewer",
  summary: "List merchants",
  description: `Returns merchants, newest first. ${WITH_ROWS}`,
  queryParameters: z.object({
    limit: limitParameter,
    cursor: cursorParameter(200),
    ...exportQuery,
  }),
  responses: {
    200: {
      description: "One page of merchants",
      body: pageOf(listedMerchantSchema, "newest first").meta({ id: "MerchantPage" }),
      rows: true,
    },
  },
  problems: ["validation_failed", "forbidden"],
});

export const getMerchant = defineEndpoint({
  operationId: "getMerchant",
  listener: "operator",
  method: "GET",
  path: "/operator/merchants/{merchantId}",
  role: "viewer",
  summary: "Get a merchant",
  description: "Returns a merchant with the keys of its credentials.",
  pathParameters: merchantPath,
  notFound: "merchant_not_found",
  responses: { 200: { description: "The merchant", body: merchantSchema } },
  problems: ["merchant_not_found", "forbidden"],
});

export const changeMerchant = defineEndpoint({
  operationId: "changeMerchant",
  listener: "operator",
  method: "PATCH",
  path: "/operator/merchants/{merchantId}",
  work: "write",
  role: "onboarder",
  summary: "Update a merchant",
  description:
    "Changes a merchant's name, commission plan, rules or branding, or suspends or reactivates the merchant. The " +
    "change takes effect everywhere within 10 seconds.",
  pathParameters: merchantPath,
  notFound: "merchant_not_found",
  request: changeMerchantRequestSchema,
  responses: { 200: { description: "The merchant as it is now", body: merchantSchema } },
  problems: [...BODY_PROBLEMS, "merchant_not_found", "outcome_unknown", "forbidden"],
});

export const addCredential = defineEndpoint({
  operationId: "addCredential",
  listener: "operator",
  method: "POST",
  path: "/operator/merchants/{merchantId}/credentials",
  work: "write",
  role: "onboarder",
  summary: "Create a credential",
  description:
    "Creates another key and secret: of live mode, for rotation, or of test mode, whose requests reach no bank. The " +
    "secret is shown only once.",
  pathParameters: merchantPath,
  notFound: "merchant_not_found",
  request: z
    .object({
      livemode: z.boolean().optional().meta({ description: "Mode of the key; defaults to true" }),
      ...restrictionsGiven,
    })
    .meta({ id: "AddCredentialRequest" }),
  bodyOptional: true,
  responses: { 201: { description: "Created", body: newCredentialSchema } },
  problems: [...BODY_PROBLEMS, "merchant_not_found", "forbidden"],
});

export const revokeCredential = defineEndpoint({
  operationId: "revokeCredential",
  listener: "operator",
  method: "DELETE",
  path: "/operator/merchants/{merchantId}/credentials/{apiKey}",
  work: "write",
  role: "onboarder",
  summary: "Revoke a credential",
  description: "Within 10 seconds every request with this key is answered with 401.",
  pathParameters: merchantPath.extend({ apiKey: z.string().meta({ description: "Key of the credential" }) }),
  notFound: "merchant_not_found",
  responses: { 204: { description: "The credential is revoked, now or earlier" } },
  problems: ["merchant_not_found", "credential_not_found", "forbidden"],
});

export const MERCHANT_OPERATOR_ENDPOINTS = [
  createMerchant,
  listMerchants,
  getMerchant,
  changeMerchant,
  addCredential,
  revokeCredential,
];
