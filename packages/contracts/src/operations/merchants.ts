import { z } from "zod";
import { restrictionsGiven } from "../http/credential-restrictions.ts";
import { BODY_PROBLEMS, cursorParameter, limitParameter, pathId } from "../http/endpoint.ts";
import { exportQuery, pageOf, WITH_ROWS } from "../http/list-query.ts";
import {
  changeMerchantRequestSchema,
  createdMerchantSchema,
  createMerchantRequestSchema,
  merchantSchema,
  newCredentialSchema,
} from "../http/merchants.ts";
import { defineOperatorOperations } from "./define-operations.ts";

/** The logo is left out, since a page of 200 would be mostly logos. */
const listedMerchantSchema = merchantSchema
  .omit({ branding: true })
  .meta({ id: "ListedMerchant", description: "A merchant without its branding" });

const merchantPath = z.object({ merchantId: pathId("Id of the merchant") });

/** Merchants and their credentials, which the gateway keeps. */
export const merchantRecordOperations = defineOperatorOperations({
  createMerchant: {
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
  },

  listMerchants: {
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
  },

  getMerchant: {
    method: "GET",
    path: "/operator/merchants/{merchantId}",
    role: "viewer",
    summary: "Get a merchant",
    description: "Returns a merchant with the keys of its credentials.",
    pathParameters: merchantPath,
    notFound: "merchant_not_found",
    responses: { 200: { description: "The merchant", body: merchantSchema } },
    problems: ["merchant_not_found", "forbidden"],
  },

  changeMerchant: {
    method: "PATCH",
    path: "/operator/merchants/{merchantId}",
    work: "write",
    role: "onboarder",
    summary: "Update a merchant",
    description:
      "Changes a merchant's name, commission plan, rules or branding, or suspends or reactivates the merchant. The " +
      "change takes effect everywhere within 10 seconds. With `version` it is made only where nobody has changed the " +
      "merchant since that was read.",
    pathParameters: merchantPath,
    notFound: "merchant_not_found",
    request: changeMerchantRequestSchema,
    responses: { 200: { description: "The merchant as it is now", body: merchantSchema } },
    problems: [...BODY_PROBLEMS, "merchant_not_found", "changed_since_read", "outcome_unknown", "forbidden"],
  },

  addCredential: {
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
  },

  revokeCredential: {
    method: "DELETE",
    path: "/operator/merchants/{merchantId}/credentials/{apiKey}",
    work: "write",
    role: "onboarder",
    summary: "Revoke a credential",
    description: "Within 10 seconds every request with this key is answered with 401.",
    pathParameters: merchantPath.extend({
      apiKey: z.string().meta({ description: "Key of the credential" }),
    }),
    notFound: "merchant_not_found",
    responses: { 204: { description: "The credential is revoked, now or earlier" } },
    problems: ["merchant_not_found", "credential_not_found", "forbidden"],
  },
});
