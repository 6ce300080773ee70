import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { textSchema } from "../text.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { businessDaySchema } from "./business-day.ts";
import { currencySchema } from "./card-payment-fields.ts";
import { openDocument } from "./open-document.ts";
import { readVersionSchema } from "./read-version.ts";

const accountSettings = openDocument.meta({ description: "The protocol's settings; see docs/acquirers.md" });

/**
 * The attributes of an account beside its protocol. Together they are one version, proposed and confirmed as a whole.
 */
const attributes = {
  name: textSchema(1, 100),
  currencies: z
    .array(currencySchema())
    .min(1)
    .max(50)
    .meta({ description: "Currencies of the payments that it takes" }),
  businessDay: businessDaySchema,
  lateArrivalSeconds: wholeNumberSchema(
    0,
    86_400,
    "How long after its end a call may still take effect at the bank",
  ),
  connectionsMax: wholeNumberSchema(
    3,
    10_000,
    "Connections of one process to the bank: a quarter each for refunds and for what is brought to its end in the background, the rest for payments",
  ),
  callsPerMinute: wholeNumberSchema(
    10,
    6_000,
    "Calls to the bank that all processes together may make in a minute; without it there is no limit",
  )
    .nullable()
    .optional()
    .meta({ description: "`null`, or left out: no limit" }),
  default: z.boolean().meta({ description: "Whether payments of its mode that no route names go here" }),
};

const stateSchema = z.enum(["ACTIVE", "NO_NEW_PAYMENTS", "CLOSED"]).meta({
  description:
    "An account that takes no new payments, or is closed, still captures, cancels, refunds and inquires",
});

export const createAcquirerAccountRequestSchema = z
  .object({
    protocol: z
      .string()
      .regex(/^[a-z][a-z-]{0,31}$/, { error: "must be the name of a protocol" })
      .meta({
        description: "Name of the adapter that calls the bank",
        examples: ["nestpay", "iyzico", "sim"],
      }),
    name: attributes.name,
    currencies: attributes.currencies,
    settings: accountSettings,
    secrets: openDocument.meta({ description: "The protocol's credentials; never shown again" }),
    businessDay: attributes.businessDay.optional(),
    lateArrivalSeconds: attributes.lateArrivalSeconds.optional(),
    connectionsMax: attributes.connectionsMax.optional(),
    callsPerMinute: attributes.callsPerMinute,
    default: attributes.default.optional(),
    livemode: z
      .boolean()
      .optional()
      .meta({
        description:
          "`false` for an account of test mode, to which payments of test keys go and no others; it is of protocol " +
          "`sim`. Defaults to true, and never changes",
      }),
  })
  .meta({ id: "CreateAcquirerAccountRequest" });

export type CreateAcquirerAccountRequest = z.infer<typeof createAcquirerAccountRequestSchema>;

/** The fields that a change may have. At the edge it needs at least one. */
export const accountChangeSchema = createAcquirerAccountRequestSchema
  .omit({ protocol: true, livemode: true })
  .partial()
  .extend({ state: stateSchema.optional() });

/** Fields that are left out keep their values. `version` is the newest one that was read, in use or proposed. */
export const changeAcquirerAccountRequestSchema = accountChangeSchema
  .extend({ version: readVersionSchema.optional() })
  .refine(({ version: _read, ...change }) => Object.values(change).some((value) => value !== undefined), {
    error: "must have at least one field",
    params: { code: "nothing_to_change" },
  })
  .meta({ id: "ChangeAcquirerAccountRequest" });

export type ChangeAcquirerAccountRequest = z.infer<typeof changeAcquirerAccountRequestSchema>;

export const proposalSchema = z.object({
  version: z.int().meta({ description: "Number of the proposed version, which a confirmation names" }),
  proposedBy: z.string().meta({ description: "Operator who proposed it: the `sub` of the token" }),
  proposedAt: z.iso.datetime().meta({ description: "When it was proposed (UTC)" }),
});

export const acquirerAccountSchema = z
  .object({
    accountId: z.uuid().meta({ description: "Id of the account" }),
    protocol: z.string().meta({ description: "Name of the adapter that calls the bank" }),
    livemode: livemodeSchema.meta({ description: "`false` for an account of test mode" }),
    state: z.enum(["PROPOSED", ...stateSchema.options]).meta({
      description:
        "PROPOSED: no version is confirmed yet. With NO_NEW_PAYMENTS or CLOSED it still captures, cancels, refunds and inquires",
    }),
    ...attributes,
    settings: accountSettings,
    version: z.int().optional().meta({ description: "The version in use; absent until one is confirmed" }),
    createdAt: z.iso.datetime().meta({ description: "When it was made (UTC)" }),
    secretsSince: z.iso.datetime().optional().meta({
      description: "When its credentials in use were confirmed (UTC); absent until a version is",
    }),
    proposal: proposalSchema
      .extend({
        ...attributes,
        state: stateSchema,
        settings: accountSettings,
        secretsChange: z.boolean().meta({ description: "Whether it has other credentials" }),
        installmentPricesChange: z
          .boolean()
          .meta({ description: "Whether installments cost something else; see its installment prices" }),
      })
      .optional()
      .meta({ description: "The version that another person has to confirm" }),
  })
  .meta({ id: "AcquirerAccount" });

export type AcquirerAccount = z.infer<typeof acquirerAccountSchema>;

export const confirmRequestSchema = z
  .object({ version: wholeNumberSchema(1, 1_000_000, "The proposal that was looked at") })
  .meta({ id: "ConfirmProposalRequest" });
