import { z } from "zod";
import { eventTypeSchema, EVENT_TYPES, PAYMENT_STATUS_CHANGED } from "../event-types.ts";
import { livemodeParameter } from "../livemode.ts";
import { BODY_PROBLEMS, defineEndpoint, pathId, shownOnceSchema } from "./endpoint.ts";
import { webhookTestResultSchema } from "./webhook-delivery.ts";
import { secretActivatesAt, webhookUrlSchema } from "./webhook-endpoints.ts";

/**
 * Several webhook endpoints of one merchant, each with the events it wants, its own secret and its own health. The
 * default one, whose id is the merchant's, is here as well as under `/webhook`.
 */

const time = (description: string) => z.iso.datetime().optional().meta({ description });

export const webhookEndpointSchema = z
  .object({
    endpointId: z.uuid().meta({
      description:
        "Id of the endpoint; that of the default one is the merchant's, in test mode with version 8",
    }),
    default: z.boolean().meta({ description: "Whether it is the merchant's default endpoint" }),
    url: z.string().meta({ description: "Where events are sent" }),
    events: z.array(eventTypeSchema).meta({ description: "The events that are sent to it" }),
    createdAt: z.iso.datetime().meta({ description: "When it was added (UTC)" }),
    secretVersion: z.int().meta({ description: "Version of the secret that signs `x-request-signature`" }),
    nextSecretVersion: z
      .int()
      .optional()
      .meta({ description: "Version of the secret that signs `x-request-signature-next`" }),
    activatesAt: time("When the next secret replaces the present one"),
    health: z
      .object({
        breaker: z.enum(["closed", "open"]).meta({
          description: "`open` after several failures: one request at a time is sent until one succeeds",
        }),
        lastSuccessAt: time("The latest attempt that succeeded"),
        lastFailureAt: time("The latest attempt that failed"),
        failingSince: time("The first failure after the last success; absent while it does not fail"),
        oldestDueAt: time("Since when the oldest delivery that waits has been due"),
      })
      .meta({ id: "WebhookHealth", description: "As the dispatchers last reported it, some seconds ago" }),
  })
  .meta({ id: "WebhookEndpoint", description: "An address that events are sent to" });
export type WebhookEndpoint = z.infer<typeof webhookEndpointSchema>;

/** Distinct, so that two lists of the same events are equal. */
const eventsSchema = z
  .array(eventTypeSchema)
  .min(1)
  .max(EVENT_TYPES.length)
  .refine((events) => new Set(events).size === events.length, {
    error: "must not name an event twice",
    params: { code: "duplicate" },
  })
  .meta({ description: "The events that are sent to it", examples: [[PAYMENT_STATUS_CHANGED]] });

export const webhookEndpointListSchema = z
  .object({
    items: z
      .array(webhookEndpointSchema)
      .meta({ description: "The endpoints that are on, the default one first" }),
  })
  .meta({ id: "WebhookEndpointList" });

const CHANGE = { listener: "operator", role: "onboarder" } as const;
const PATH = "/operator/merchants/{merchantId}/webhooks";
const merchantPath = z.object({ merchantId: pathId("Id of the merchant") });
const queryParameters = z.object({ livemode: livemodeParameter });
const endpointPath = merchantPath.extend({
  endpointId: pathId(
    "Id of the endpoint; that of the default one is the merchant's, in test mode with version 8",
  ),
});
const secret = shownOnceSchema("Its UTF-8 bytes are the HMAC key");

export const listMerchantWebhooks = defineEndpoint({
  operationId: "listMerchantWebhooks",
  listener: "operator",
  role: "viewer",
  method: "GET",
  path: PATH,
  summary: "List a merchant's webhook endpoints",
  description: "Returns the endpoints that are on with their health, the default one first.",
  pathParameters: merchantPath,
  queryParameters,
  notFound: "merchant_not_found",
  responses: { 200: { description: "All endpoints of the merchant", body: webhookEndpointListSchema } },
  problems: ["merchant_not_found", "forbidden"],
});

export const createMerchantWebhook = defineEndpoint({
  operationId: "createMerchantWebhook",
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
    .object({ url: webhookUrlSchema, events: eventsSchema.optional() })
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
});

export const changeMerchantWebhook = defineEndpoint({
  operationId: "changeMerchantWebhook",
  ...CHANGE,
  method: "PATCH",
  path: `${PATH}/{endpointId}`,
  summary: "Change a webhook endpoint",
  description: "Changes the URL, or the events that the endpoint gets from now on.",
  pathParameters: endpointPath,
  queryParameters,
  notFound: "webhook_not_found",
  request: z
    .object({ url: webhookUrlSchema.optional(), events: eventsSchema.optional() })
    .meta({ id: "ChangeWebhookRequest" }),
  responses: { 200: { description: "The endpoint as it is now", body: webhookEndpointSchema } },
  problems: [...BODY_PROBLEMS, "webhook_not_found", "webhook_url_in_use", "outcome_unknown", "forbidden"],
});

export const removeMerchantWebhook = defineEndpoint({
  operationId: "removeMerchantWebhook",
  ...CHANGE,
  work: "write",
  method: "DELETE",
  path: `${PATH}/{endpointId}`,
  summary: "Turn off a webhook endpoint",
  description: "Turns the endpoint off and cancels its pending deliveries. Other endpoints stay as they are.",
  pathParameters: endpointPath,
  queryParameters,
  notFound: "webhook_not_found",
  responses: { 204: { description: "The endpoint is off" } },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const rotateWebhookEndpointSecret = defineEndpoint({
  operationId: "rotateWebhookEndpointSecret",
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
});

export const activateWebhookEndpointSecret = defineEndpoint({
  operationId: "activateWebhookEndpointSecret",
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
});

export const testWebhookEndpoint = defineEndpoint({
  operationId: "testWebhookEndpoint",
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
});

/** The endpoints in the order of the document. */
export const MERCHANT_WEBHOOK_ENDPOINTS = [
  listMerchantWebhooks,
  createMerchantWebhook,
  changeMerchantWebhook,
  removeMerchantWebhook,
  rotateWebhookEndpointSecret,
  activateWebhookEndpointSecret,
  testWebhookEndpoint,
];
