import { z } from "zod";
import { eventTypeSchema } from "../event-types.ts";
import { BODY_PROBLEMS, pathId, shownOnceSchema } from "../http/endpoint.ts";
import { FAILING_WEBHOOKS_MAX, failingWebhookSchema } from "../http/failing-webhooks.ts";
import { changeWebhookRequestSchema, webhookEventsSchema } from "../http/change-webhook.ts";
import {
  listedWebhooksSchema,
  managedBySchema,
  webhookEndpointListSchema,
  webhookEndpointSchema,
} from "../http/merchant-webhooks.ts";
import { webhookTestResultSchema } from "../http/webhook-delivery.ts";
import { secretActivatesAt, webhookUrlSchema } from "../http/webhook-endpoints.ts";
import { newWebhookHeadersSchema } from "../http/webhook-headers.ts";
import { WEBHOOK_HOURS_DAYS, webhookHoursSchema } from "../http/webhook-hours.ts";
import { livemodeParameter } from "../livemode.ts";
import { sealedReplySchema } from "../sealed-reply.ts";
import { defineOperatorOperations } from "./define-operations.ts";

/** A secret as its answer shows it. */
export const secret = shownOnceSchema("Its UTF-8 bytes are the HMAC key");

/**
 * The asker's key, generated for this one request: the secret comes back sealed to it, so that no listener on the bus
 * sees it.
 */
export const recipient = { recipientKey: z.string() };

/** Headers cross the bus sealed to the dispatcher (see `sealTo`): the JSON text of `sentWebhookHeadersSchema`. */
const sealedHeaders = { headers: sealedReplySchema.optional() };

const shownSchema = failingWebhookSchema
  .extend({ merchantName: z.string().optional().meta({ description: "Absent of a merchant that is gone" }) })
  .meta({ id: "FailingWebhookEndpoint" });

const CHANGE = { role: "onboarder" } as const;

const PATH = "/operator/merchants/{merchantId}/webhooks";

const merchantPath = z.object({ merchantId: pathId("Id of the merchant") });

const queryParameters = z.object({ livemode: livemodeParameter });

const endpointPath = merchantPath.extend({
  endpointId: pathId(
    "Id of the endpoint; that of the default one is the merchant's, in test mode with version 8",
  ),
});

/** Merchants' webhook endpoints. Secrets cross the bus sealed to the request. */
export const webhookEndpointOperations = defineOperatorOperations({
  listFailingWebhooks: {
    subject: "webhooks.list-failing-endpoints",
    result: z.object({ items: z.array(failingWebhookSchema), total: z.int() }),
    role: "viewer",
    method: "GET",
    path: "/operator/webhook-endpoints",
    summary: "List the webhook endpoints that fail, of all merchants",
    description:
      "Answers whose webhooks are late and why: endpoints that are on and whose latest attempt failed or whose breaker is " +
      `open, the one that has failed longest first, at most ${FAILING_WEBHOOKS_MAX}.`,
    responses: {
      200: {
        description: "Endpoints of both modes",
        body: z
          .object({
            items: z
              .array(shownSchema)
              .meta({ description: "The endpoints, the one that has failed longest first" }),
            total: z.int().meta({ description: "How many fail, whether or not they are in `items`" }),
          })
          .meta({ id: "FailingWebhookEndpointList" }),
      },
    },
    problems: ["forbidden"],
  },

  listMerchantWebhooks: {
    subject: "webhooks.list-endpoints",
    result: listedWebhooksSchema,
    role: "viewer",
    method: "GET",
    path: PATH,
    summary: "List a merchant's webhook endpoints",
    description:
      "Returns the endpoints with their health, the default one first, also those that are switched off.",
    pathParameters: merchantPath,
    queryParameters,
    notFound: "merchant_not_found",
    responses: { 200: { description: "All endpoints of the merchant", body: webhookEndpointListSchema } },
    problems: ["merchant_not_found", "forbidden"],
  },

  setWebhookManagement: {
    subject: "webhooks.set-management",
    ...CHANGE,
    work: "write",
    method: "PUT",
    path: "/operator/merchants/{merchantId}/webhook-management",
    summary: "Set who may change a merchant's webhook endpoints",
    description:
      "Says who may change the endpoints of one mode. With `api`, each of the merchant's API keys of that mode can send its " +
      "webhooks elsewhere.",
    pathParameters: merchantPath,
    queryParameters,
    notFound: "merchant_not_found",
    request: z.object({ managedBy: managedBySchema }).meta({ id: "SetWebhookManagementRequest" }),
    responses: {
      200: {
        description: "Who may change them now",
        body: z.object({ managedBy: managedBySchema }).meta({ id: "WebhookManagement" }),
      },
    },
    problems: [...BODY_PROBLEMS, "merchant_not_found", "outcome_unknown", "forbidden"],
  },

  createMerchantWebhook: {
    subject: "webhooks.create-endpoint",
    payload: z.object({
      merchantId: z.uuid(),
      url: z.string(),
      events: z.array(eventTypeSchema),
      ...sealedHeaders,
      ...recipient,
    }),
    result: z.object({ endpoint: webhookEndpointSchema, secret: sealedReplySchema }),
    ...CHANGE,
    method: "POST",
    path: PATH,
    summary: "Add a webhook endpoint to a merchant",
    description:
      "Adds an endpoint with its own secret, which is shown only once, and its own deliveries: whether another endpoint " +
      "answers makes no difference to it. It gets the events that happen from now on: those that are named, or " +
      "`payment.status_changed`.",
    pathParameters: merchantPath,
    queryParameters,
    notFound: "merchant_not_found",
    request: z
      .object({
        url: webhookUrlSchema,
        events: webhookEventsSchema.optional(),
        headers: newWebhookHeadersSchema.optional(),
      })
      .meta({ id: "CreateWebhookRequest" }),
    responses: {
      201: {
        description: "The endpoint; the secret is shown only once",
        body: webhookEndpointSchema.extend({ secret }).meta({ id: "CreatedWebhookEndpoint" }),
      },
    },
    problems: [
      ...BODY_PROBLEMS,
      "merchant_not_found",
      "webhook_url_in_use",
      "too_many_webhooks",
      "outcome_unknown",
      "forbidden",
    ],
  },

  changeMerchantWebhook: {
    subject: "webhooks.change-endpoint",
    payload: z.object({
      merchantId: z.uuid(),
      endpointId: z.uuid(),
      ...changeWebhookRequestSchema.shape,
      ...sealedHeaders,
    }),
    ...CHANGE,
    method: "PATCH",
    path: `${PATH}/{endpointId}`,
    summary: "Change a webhook endpoint",
    description:
      "Changes the URL, the headers, or the events that the endpoint gets from now on, or switches it off or on. Switching " +
      "off loses nothing: `whileOff` says what happens to the events of that time, and `waiting`, when it is switched on, " +
      "what happens to those that wait.",
    pathParameters: endpointPath,
    queryParameters,
    notFound: "webhook_not_found",
    request: changeWebhookRequestSchema,
    responses: { 200: { description: "The endpoint as it is now", body: webhookEndpointSchema } },
    problems: [
      ...BODY_PROBLEMS,
      "webhook_not_found",
      "webhook_url_in_use",
      "changed_since_read",
      "outcome_unknown",
      "forbidden",
    ],
  },

  getMerchantWebhookHealth: {
    subject: "webhooks.read-endpoint-hours",
    role: "viewer",
    method: "GET",
    path: `${PATH}/{endpointId}/health`,
    summary: "Get a webhook endpoint's health by the hour",
    description:
      `Returns how many attempts of each hour of the last ${WEBHOOK_HOURS_DAYS} days were answered, how many failed and ` +
      "why, and how long the answers took.",
    pathParameters: endpointPath,
    queryParameters,
    notFound: "webhook_not_found",
    responses: { 200: { description: "The hours with attempts", body: webhookHoursSchema } },
    problems: ["webhook_not_found", "forbidden"],
  },

  removeMerchantWebhook: {
    subject: "webhooks.remove-endpoint",
    ...CHANGE,
    work: "write",
    method: "DELETE",
    path: `${PATH}/{endpointId}`,
    summary: "Remove a webhook endpoint",
    description: "Removes the endpoint and cancels its pending deliveries. Other endpoints stay as they are.",
    pathParameters: endpointPath,
    queryParameters,
    notFound: "webhook_not_found",
    responses: { 204: { description: "The endpoint is removed" } },
    problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
  },

  rotateWebhookEndpointSecret: {
    subject: "webhooks.rotate-secret",
    payload: z.object({ merchantId: z.uuid(), endpointId: z.uuid(), ...recipient }),
    result: z.object({ secret: sealedReplySchema, activatesAt: z.iso.datetime() }),
    ...CHANGE,
    work: "write",
    method: "POST",
    path: `${PATH}/{endpointId}/rotate-secret`,
    summary: "Rotate the secret of a webhook endpoint",
    description: "Does for one endpoint what `rotateMerchantWebhookSecret` does for the default one.",
    pathParameters: endpointPath,
    queryParameters,
    notFound: "webhook_not_found",
    responses: {
      200: {
        description: "The new secret and the time at which it replaces the old one",
        body: z.object({ secret, activatesAt: secretActivatesAt }).meta({ id: "RotatedEndpointSecret" }),
      },
    },
    problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
  },

  activateWebhookEndpointSecret: {
    subject: "webhooks.activate-secret",
    ...CHANGE,
    work: "write",
    method: "POST",
    path: `${PATH}/{endpointId}/activate-secret`,
    summary: "Activate the new secret of a webhook endpoint",
    description:
      "The new secret signs `x-request-signature` from now on. Repeating the request changes nothing.",
    pathParameters: endpointPath,
    queryParameters,
    notFound: "webhook_not_found",
    responses: { 204: { description: "The new secret is active" } },
    problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
  },

  testWebhookEndpoint: {
    subject: "webhooks.test-endpoint",
    ...CHANGE,
    method: "POST",
    path: `${PATH}/{endpointId}/test`,
    summary: "Send a test webhook to an endpoint",
    description: "Sends a signed event of type `webhook.test` immediately.",
    pathParameters: endpointPath,
    queryParameters,
    notFound: "webhook_not_found",
    responses: { 200: { description: "Result of the delivery", body: webhookTestResultSchema } },
    problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
  },
});
