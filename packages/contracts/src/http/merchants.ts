import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { textSchema } from "../text.ts";
import { brandingSchema } from "./branding.ts";
import { commissionPlanSchema } from "./commission-plan.ts";
import { restrictionsShown } from "./credential-restrictions.ts";
import { shownOnceSchema } from "./endpoint.ts";
import { merchantRulesSchema } from "./merchant-rules.ts";
import { readVersionSchema } from "./read-version.ts";

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
    version: readVersionSchema.optional(),
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
  .refine(({ version: _read, ...change }) => Object.values(change).some((value) => value !== undefined), {
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
    version: z
      .int()
      .meta({ description: "Rises with every change of these; a change may name the one it was made from" }),
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
