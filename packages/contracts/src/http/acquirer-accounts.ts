import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { textSchema } from "../text.ts";
import { wholeNumberSchema } from "../whole-number.ts";
import { businessDaySchema } from "./business-day.ts";
import { currencySchema } from "./card-payment-fields.ts";
import { probeRequestSchema, probeResultSchema } from "./acquirer-account-probe.ts";
import { BODY_PROBLEMS, defineEndpoint, pathId } from "./endpoint.ts";
import { openDocument } from "./open-document.ts";

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

/** Fields that are left out keep their values. */
export const changeAcquirerAccountRequestSchema = accountChangeSchema
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
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
    proposal: proposalSchema
      .extend({
        ...attributes,
        state: stateSchema,
        settings: accountSettings,
        secretsChange: z.boolean().meta({ description: "Whether it has other credentials" }),
      })
      .optional()
      .meta({ description: "The version that another person has to confirm" }),
  })
  .meta({ id: "AcquirerAccount" });
export type AcquirerAccount = z.infer<typeof acquirerAccountSchema>;

export const confirmRequestSchema = z
  .object({ version: wholeNumberSchema(1, 1_000_000, "The proposal that was looked at") })
  .meta({ id: "ConfirmProposalRequest" });

const one = {
  pathParameters: z.object({ accountId: pathId("The account") }),
  notFound: "acquirer_account_not_found",
} as const;
const account = (description: string) => ({ description, body: acquirerAccountSchema });

export const createAcquirerAccount = defineEndpoint({
  listener: "operator",
  role: "admin",
  recentSignIn: true,
  operationId: "createAcquirerAccount",
  method: "POST",
  path: "/operator/acquirer-accounts",
  summary: "Make an account at a bank",
  description:
    "Settings and credentials are checked by the protocol's schema before anything is stored. Where changes of accounts take two people, it is PROPOSED until another person confirms it.",
  request: createAcquirerAccountRequestSchema,
  responses: { 201: account("The account, without its credentials") },
  problems: [...BODY_PROBLEMS, "forbidden", "acquirer_account_exists"],
});

export const listAcquirerAccounts = defineEndpoint({
  listener: "operator",
  role: "viewer",
  operationId: "listAcquirerAccounts",
  method: "GET",
  path: "/operator/acquirer-accounts",
  summary: "List the accounts at banks, by name",
  responses: {
    200: {
      description: "All of them",
      body: z.object({
        items: z.array(acquirerAccountSchema).meta({ description: "The accounts, by name" }),
      }),
    },
  },
  problems: ["forbidden"],
});

export const getAcquirerAccount = defineEndpoint({
  listener: "operator",
  role: "viewer",
  operationId: "getAcquirerAccount",
  method: "GET",
  path: "/operator/acquirer-accounts/{accountId}",
  ...one,
  summary: "Read an account at a bank",
  responses: { 200: account("The account, without its credentials") },
  problems: ["forbidden", "acquirer_account_not_found"],
});

export const changeAcquirerAccount = defineEndpoint({
  listener: "operator",
  role: "admin",
  recentSignIn: true,
  operationId: "changeAcquirerAccount",
  method: "PATCH",
  path: "/operator/acquirer-accounts/{accountId}",
  ...one,
  summary: "Change an account at a bank",
  description:
    "The change is a new version; follow-ups of older payments use it, too. What says which terminal it is cannot change once a payment was sent there. " +
    "Another address takes the credentials again, in the same change: without them `errors` names `secrets`.",
  request: changeAcquirerAccountRequestSchema,
  responses: { 200: account("The account, with the proposal where another person has to confirm it") },
  problems: [
    ...BODY_PROBLEMS,
    "forbidden",
    "acquirer_account_not_found",
    "acquirer_account_exists",
    "terminal_in_use",
  ],
});

export const confirmAcquirerAccount = defineEndpoint({
  listener: "operator",
  role: "admin",
  recentSignIn: true,
  operationId: "confirmAcquirerAccount",
  method: "POST",
  path: "/operator/acquirer-accounts/{accountId}/confirm",
  ...one,
  summary: "Confirm what another person has proposed for an account",
  request: confirmRequestSchema,
  responses: { 200: account("The account as it is in use now") },
  problems: [
    ...BODY_PROBLEMS,
    "forbidden",
    "acquirer_account_not_found",
    "acquirer_account_exists",
    "terminal_in_use",
    "nothing_to_confirm",
    "same_person",
  ],
});

export const probeAcquirerAccount = defineEndpoint({
  listener: "operator",
  role: "operations",
  operationId: "probeAcquirerAccount",
  method: "POST",
  path: "/operator/acquirer-accounts/{accountId}/probe",
  ...one,
  summary: "Call the bank without moving anything",
  description:
    "Tells a wrong password from a host that cannot be reached. It uses the version that is confirmed; a proposal is " +
    "probed with the credentials of this request. Each probe is an entry of the audit log.",
  request: probeRequestSchema,
  bodyOptional: true,
  responses: { 200: { description: "What came of it", body: probeResultSchema } },
  problems: [
    ...BODY_PROBLEMS,
    "forbidden",
    "acquirer_account_not_found",
    "account_not_confirmed",
    "nothing_to_confirm",
  ],
});

export const ACQUIRER_ACCOUNT_ENDPOINTS = [
  createAcquirerAccount,
  listAcquirerAccounts,
  getAcquirerAccount,
  changeAcquirerAccount,
  confirmAcquirerAccount,
  probeAcquirerAccount,
];
