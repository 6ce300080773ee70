import { z } from "zod";
import { eventTypeSchema } from "../event-types.ts";
import { failingWebhookSchema } from "../http/failing-webhooks.ts";
import { webhookEndpointListSchema, webhookEndpointSchema } from "../http/merchant-webhooks.ts";
import { webhookTestResultSchema } from "../http/webhook-delivery.ts";
import { sealedReplySchema } from "../sealed-reply.ts";
import { defineCommand, defineOperatorCommand } from "./message.ts";

/**
 * What is asked of the webhook dispatcher about one endpoint of several. These are commands of their own: a dispatcher of
 * the version before, which knows the default endpoint only, would do to that one what is asked for another.
 */

const ofMerchant = z.object({ merchantId: z.uuid() });
const oneEndpoint = ofMerchant.extend({ endpointId: z.uuid() });

export const listWebhookEndpoints = defineOperatorCommand({
  service: "webhooks",
  name: "list-endpoints",
  role: "viewer",
  work: "read",
  request: ofMerchant,
  result: webhookEndpointListSchema,
});

/** Of all merchants, in both modes. */
export const listFailingEndpoints = defineOperatorCommand({
  service: "webhooks",
  name: "list-failing-endpoints",
  role: "viewer",
  work: "read",
  request: z.object({}),
  result: z.object({ items: z.array(failingWebhookSchema), total: z.int() }),
});

/** The secret comes back sealed to `recipientKey`, which is the asker's and made for this one request. */
export const createWebhookEndpoint = defineOperatorCommand({
  service: "webhooks",
  name: "create-endpoint",
  role: "onboarder",
  request: ofMerchant.extend({ url: z.string(), events: z.array(eventTypeSchema), recipientKey: z.string() }),
  result: z.object({ endpoint: webhookEndpointSchema, secret: sealedReplySchema }),
});

export const changeWebhookEndpoint = defineOperatorCommand({
  service: "webhooks",
  name: "change-endpoint",
  role: "onboarder",
  request: oneEndpoint.extend({ url: z.string().optional(), events: z.array(eventTypeSchema).optional() }),
  result: webhookEndpointSchema,
});

export const removeWebhookEndpoint = defineOperatorCommand({
  service: "webhooks",
  name: "remove-endpoint",
  role: "onboarder",
  work: "write",
  request: oneEndpoint,
  result: z.object({}),
});

export const rotateSecretOfEndpoint = defineOperatorCommand({
  service: "webhooks",
  name: "rotate-endpoint-secret",
  role: "onboarder",
  work: "write",
  request: oneEndpoint.extend({ recipientKey: z.string() }),
  result: z.object({ secret: sealedReplySchema, activatesAt: z.iso.datetime() }),
});

export const activateSecretOfEndpoint = defineOperatorCommand({
  service: "webhooks",
  name: "activate-endpoint-secret",
  role: "onboarder",
  work: "write",
  request: oneEndpoint,
  result: z.object({}),
});

export const tryWebhookEndpoint = defineOperatorCommand({
  service: "webhooks",
  name: "try-endpoint",
  role: "onboarder",
  request: oneEndpoint,
  result: webhookTestResultSchema,
});

export const redeliverToEndpoint = defineOperatorCommand({
  service: "webhooks",
  name: "redeliver-to-endpoint",
  role: "operations",
  work: "write",
  request: z.object({ eventId: z.uuid(), endpointId: z.uuid() }),
  result: z.object({ queued: z.int() }),
});

/** A merchant reads its own endpoints. */
export const listOwnEndpoints = defineCommand({
  service: "webhooks",
  name: "list-own-endpoints",
  work: "read",
  request: z.object({}),
  result: webhookEndpointListSchema,
});

/** A merchant tries one of its own endpoints. */
export const tryOwnEndpoint = defineCommand({
  service: "webhooks",
  name: "try-own-endpoint",
  request: z.object({ endpointId: z.uuid() }),
  result: webhookTestResultSchema,
});
