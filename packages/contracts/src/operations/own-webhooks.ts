import { z } from "zod";
import { pathId } from "../http/endpoint.ts";
import { listedWebhooksSchema, webhookEndpointListSchema } from "../http/merchant-webhooks.ts";
import { webhookTestResultSchema } from "../http/webhook-delivery.ts";
import { WEBHOOK_HOURS_DAYS } from "../http/webhook-hours.ts";
import type { ProblemCode } from "../problem-codes.ts";
import { defineMerchantOperations } from "./define-operations.ts";
import { webhookEndpointOperations } from "./webhook-endpoints.ts";

const PATH = "/api/webhooks";
const ONE = `${PATH}/{endpointId}`;
const endpointPath = z.object({ endpointId: pathId("Id of the endpoint") });
const ofOne = { pathParameters: endpointPath, notFound: "webhook_not_found" } as const;

/** The condition of each change: without it the change is refused. */
const WHERE_ALLOWED = "Where your operator lets your API keys change endpoints.";

const NO_OBSERVER = `${WHERE_ALLOWED} An endpoint that gets \`webhook.endpoint_changed\` is changed by people alone.`;

/** The problems of an operator's operation, and the problem of an API key that may not change anything. */
function problemsOf({ problems }: { problems: readonly ProblemCode[] }): ProblemCode[] {
  const own = problems.filter((code) => code !== "forbidden" && code !== "merchant_not_found");
  return [...own, "webhook_change_not_allowed"];
}

const {
  createMerchantWebhook: create,
  changeMerchantWebhook: change,
  getMerchantWebhookHealth: readHealth,
  removeMerchantWebhook: remove,
  rotateWebhookEndpointSecret: rotate,
  activateWebhookEndpointSecret: activate,
} = webhookEndpointOperations;

/**
 * A merchant's own view of its webhook endpoints, and the operators' changes that its API keys may make, too.
 */
export const ownWebhookOperations = defineMerchantOperations({
  listWebhooks: {
    subject: "webhooks.list-own-endpoints",
    result: listedWebhooksSchema,
    method: "GET",
    path: PATH,
    summary: "List your webhook endpoints",
    description:
      "Returns your endpoints, each with its events and its health: when an attempt last succeeded, and since when it " +
      "fails; and who may change them. Secrets are never shown.",
    responses: { 200: { description: "All your endpoints", body: webhookEndpointListSchema } },
    problems: [],
  },

  createWebhook: {
    subject: "webhooks.create-own-endpoint",
    payload: create.payload.omit({ merchantId: true }),
    result: create.result,
    method: "POST",
    path: PATH,
    carriedOutEachTime: true,
    summary: "Add a webhook endpoint",
    description:
      "Adds an endpoint with its own secret, which is shown only once. It gets the events that happen from now on: those " +
      `that are named, or \`payment.status_changed\`. ${WHERE_ALLOWED}`,
    request: create.request,
    responses: create.responses,
    problems: problemsOf(create),
  },

  changeWebhook: {
    subject: "webhooks.change-own-endpoint",
    payload: change.payload.omit({ merchantId: true }),
    method: "PATCH",
    path: ONE,
    summary: "Change one of your webhook endpoints",
    description:
      "Changes the URL, the headers, or the events that the endpoint gets from now on, or switches it off or on. Switching " +
      "off loses nothing: `whileOff` says what happens to the events of that time, and `waiting`, when it is switched on, " +
      `what happens to those that wait. ${NO_OBSERVER}`,
    ...ofOne,
    request: change.request,
    responses: change.responses,
    problems: problemsOf(change),
  },

  getWebhookHealth: {
    subject: "webhooks.read-own-hours",
    method: "GET",
    path: `${ONE}/health`,
    summary: "Get one of your endpoints' health by the hour",
    description:
      `Returns how many attempts of each hour of the last ${WEBHOOK_HOURS_DAYS} days were answered, how many failed and ` +
      "why, and how long your answers took.",
    ...ofOne,
    responses: readHealth.responses,
    problems: ["webhook_not_found"],
  },

  removeWebhook: {
    subject: "webhooks.remove-own-endpoint",
    method: "DELETE",
    work: "write",
    path: ONE,
    summary: "Remove one of your webhook endpoints",
    description: `Removes the endpoint; what it has not received yet is not delivered to it. ${NO_OBSERVER}`,
    ...ofOne,
    responses: remove.responses,
    problems: problemsOf(remove),
  },

  rotateWebhookSecret: {
    subject: "webhooks.rotate-own-secret",
    payload: rotate.payload.omit({ merchantId: true }),
    result: rotate.result,
    method: "POST",
    work: "write",
    path: `${ONE}/rotate-secret`,
    carriedOutEachTime: true,
    summary: "Rotate the secret of one of your webhook endpoints",
    description:
      "Makes a new secret, which is shown only once, in place of one that waits already. Webhooks are signed with both " +
      `secrets until the new one is activated. ${NO_OBSERVER}`,
    ...ofOne,
    responses: rotate.responses,
    problems: problemsOf(rotate),
  },

  activateWebhookSecret: {
    subject: "webhooks.activate-own-secret",
    method: "POST",
    work: "write",
    path: `${ONE}/activate-secret`,
    carriedOutEachTime: true,
    summary: "Activate the new secret of one of your webhook endpoints",
    description: `Signs with the new secret alone from now on. ${NO_OBSERVER}`,
    ...ofOne,
    responses: activate.responses,
    problems: problemsOf(activate),
  },

  testWebhook: {
    subject: "webhooks.try-own-endpoint",
    method: "POST",
    path: `${ONE}/test`,
    carriedOutEachTime: true,
    summary: "Send a test webhook to one of your endpoints",
    description:
      "Sends a signed event of type `webhook.test` immediately, once for each request, and returns what your server " +
      "answered. It is about no payment.",
    ...ofOne,
    responses: { 200: { description: "Result of the delivery", body: webhookTestResultSchema } },
    problems: ["webhook_not_found", "outcome_unknown"],
  },
});
