import { z } from "zod";
import { probeRequestSchema, probeResultSchema } from "../http/acquirer-account-probe.ts";
import {
  accountChangeSchema,
  acquirerAccountSchema,
  changeAcquirerAccountRequestSchema,
  confirmRequestSchema,
  createAcquirerAccountRequestSchema,
} from "../http/acquirer-accounts.ts";
import { acquirerProtocolSchema } from "../http/acquirer-protocols.ts";
import { BODY_PROBLEMS, pathId } from "../http/endpoint.ts";
import {
  installmentPricesSchema,
  replaceInstallmentPricesRequestSchema,
} from "../http/installment-prices.ts";
import { merchantRoutesSchema, routeSchema } from "../http/merchant-routes.ts";
import { readVersionParameter, readVersionSchema } from "../http/read-version.ts";
import { sealedCredentials } from "../messages/account-credentials.ts";
import { defineOperatorOperations } from "./define-operations.ts";

const routes = (description: string) => ({ description, body: merchantRoutesSchema });

const one = {
  pathParameters: z.object({ accountId: pathId("The account") }),
  notFound: "acquirer_account_not_found",
} as const;
const prices = (description: string) => ({ description, body: installmentPricesSchema });
const account = (description: string) => ({ description, body: acquirerAccountSchema });

const ofMerchant = {
  pathParameters: z.object({ merchantId: pathId("The merchant") }),
  notFound: "merchant_not_found",
} as const;

/** Accounts at banks, and the merchants' routes to them. */
export const acquirerAccountOperations = defineOperatorOperations({
  createAcquirerAccount: {
    subject: "payments.make-account",
    payload: createAcquirerAccountRequestSchema.omit({ secrets: true }).extend(sealedCredentials),
    role: "admin",
    recentSignIn: true,
    work: "write",
    method: "POST",
    path: "/operator/acquirer-accounts",
    summary: "Make an account at a bank",
    description:
      "Settings and credentials are checked by the protocol's schema before anything is stored. Where changes of accounts take two people, it is PROPOSED until another person confirms it.",
    request: createAcquirerAccountRequestSchema,
    responses: { 201: account("The account, without its credentials") },
    problems: [...BODY_PROBLEMS, "forbidden", "acquirer_account_exists"],
  },

  listAcquirerAccounts: {
    subject: "payments.read-accounts",
    payload: z.object({ accountId: z.uuid().optional() }),
    result: z.object({
      items: z.array(acquirerAccountSchema),
      /** The key that credentials are sealed to; absent if none can be kept. */
      sealTo: z.string().optional(),
    }),
    role: "viewer",
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
  },

  listAcquirerProtocols: {
    subject: "payments.read-protocols",
    role: "viewer",
    method: "GET",
    path: "/operator/acquirer-protocols",
    summary: "List the protocols that accounts can be made with",
    description: "The JSON Schemas describe every setting and every credential, and say which are required.",
    responses: {
      200: {
        description: "All of them",
        body: z.object({
          items: z.array(acquirerProtocolSchema).meta({ description: "The protocols of this version" }),
        }),
      },
    },
    problems: ["forbidden"],
  },

  getAcquirerAccount: {
    role: "viewer",
    method: "GET",
    path: "/operator/acquirer-accounts/{accountId}",
    ...one,
    summary: "Read an account at a bank",
    responses: { 200: account("The account, without its credentials") },
    problems: ["forbidden", "acquirer_account_not_found"],
  },

  changeAcquirerAccount: {
    subject: "payments.alter-account",
    payload: z
      .object({
        accountId: z.uuid(),
        change: accountChangeSchema.omit({ secrets: true }),
        version: readVersionSchema.optional(),
      })
      .extend(z.object(sealedCredentials).partial().shape),
    role: "admin",
    recentSignIn: true,
    work: "write",
    method: "PATCH",
    path: "/operator/acquirer-accounts/{accountId}",
    ...one,
    summary: "Change an account at a bank",
    description:
      "The change is a new version; follow-ups of older payments use it, too. What says which terminal it is cannot change once a payment was sent there. " +
      "Another address takes the credentials again, in the same change: without them `errors` names `secrets`. With `version`, " +
      "the newest that was read, in use or proposed, it is made only where nobody has changed the account since.",
    request: changeAcquirerAccountRequestSchema,
    responses: { 200: account("The account, with the proposal where another person has to confirm it") },
    problems: [
      ...BODY_PROBLEMS,
      "forbidden",
      "acquirer_account_not_found",
      "acquirer_account_exists",
      "terminal_in_use",
      "changed_since_read",
    ],
  },

  confirmAcquirerAccount: {
    subject: "payments.confirm-account",
    role: "admin",
    recentSignIn: true,
    work: "write",
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
  },

  probeAcquirerAccount: {
    subject: "payments.probe-account",
    payload: z.object({
      accountId: z.uuid(),
      proposal: z.object({ version: z.int(), ...sealedCredentials }).optional(),
    }),
    role: "operations",
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
  },

  getInstallmentPrices: {
    subject: "payments.read-installment-prices",
    role: "viewer",
    method: "GET",
    path: "/operator/acquirer-accounts/{accountId}/installment-prices",
    ...one,
    summary: "Read what installments cost at an account",
    responses: { 200: prices("The prices in use, and a proposal") },
    problems: ["forbidden", "acquirer_account_not_found"],
  },

  putInstallmentPrices: {
    subject: "payments.replace-installment-prices",
    role: "admin",
    recentSignIn: true,
    work: "write",
    method: "PUT",
    path: "/operator/acquirer-accounts/{accountId}/installment-prices",
    ...one,
    summary: "Replace what installments cost at an account",
    description:
      "The prices are a new version of the account, which another person confirms as any other change of it. " +
      "Installments without a price cost the buyer nothing. `version` is the newest that you have read, in use or " +
      "proposed: if the account has a newer one, nothing is changed (`changed_since_read`).",
    request: replaceInstallmentPricesRequestSchema,
    responses: { 200: prices("The prices, with the proposal where another person has to confirm it") },
    problems: [
      ...BODY_PROBLEMS,
      "forbidden",
      "acquirer_account_not_found",
      "account_not_confirmed",
      "changed_since_read",
    ],
  },

  getMerchantRoutes: {
    subject: "payments.read-routes",
    role: "viewer",
    method: "GET",
    path: "/operator/merchants/{merchantId}/routes",
    ...ofMerchant,
    summary: "Read which accounts a merchant's payments go to",
    responses: { 200: routes("The routes in use, and a proposal") },
    problems: ["forbidden", "merchant_not_found"],
  },

  putMerchantRoutes: {
    subject: "payments.replace-routes",
    payload: z.object({
      merchantId: z.uuid(),
      routes: z.array(routeSchema).max(100),
      version: z.int().optional(),
    }),
    role: "admin",
    recentSignIn: true,
    work: "write",
    method: "PUT",
    path: "/operator/merchants/{merchantId}/routes",
    ...ofMerchant,
    summary: "Replace a merchant's routes",
    description:
      "The first route that names a payment wins; where none does, the default account takes it. With `version` the routes " +
      "are replaced only where nobody has changed them since that was read.",
    queryParameters: z.object({ version: readVersionParameter }),
    request: z.array(routeSchema).max(100),
    responses: { 200: routes("The routes, with the proposal where another person has to confirm it") },
    problems: [...BODY_PROBLEMS, "forbidden", "merchant_not_found", "changed_since_read"],
  },

  confirmMerchantRoutes: {
    subject: "payments.confirm-routes",
    role: "admin",
    recentSignIn: true,
    work: "write",
    method: "POST",
    path: "/operator/merchants/{merchantId}/routes/confirm",
    ...ofMerchant,
    summary: "Confirm the routes that another person has proposed",
    request: confirmRequestSchema,
    responses: { 200: routes("The routes as they are in use now") },
    problems: [...BODY_PROBLEMS, "forbidden", "merchant_not_found", "nothing_to_confirm", "same_person"],
  },
});
