import { z } from "zod";
import { eventTypeSchema } from "../event-types.ts";
import { auditEntriesSchema, auditPageSchema } from "../http/audit-log.ts";
import { failingWebhookSchema } from "../http/failing-webhooks.ts";
import { webhookEndpointListSchema, webhookEndpointSchema } from "../http/merchant-webhooks.ts";
import { sealedReplySchema } from "../sealed-reply.ts";
import {
  webhookDeliveryDetailSchema,
  webhookDeliveryPageSchema,
  webhookDeliveryStatusSchema,
  webhookTestResultSchema,
} from "../http/webhook-delivery.ts";
import { EVENT_SOURCES, type EventSource } from "../event-types.ts";
import { defineCommand, defineOperatorCommand, defineServiceCommand } from "./message.ts";

/** The commands to the webhook dispatcher, and its answers to the owners of the events. */

const ofMerchant = z.object({ merchantId: z.uuid() });
/** An endpoint of a merchant; the default one has the merchant's id. */
const oneEndpoint = ofMerchant.extend({ endpointId: z.uuid() });
/**
 * The asker's key, generated for this one request: the secret comes back sealed to it, so that no listener on the bus
 * sees it.
 */
const recipient = { recipientKey: z.string() };

export const listWebhookEndpoints = defineOperatorCommand({
  service: "webhooks",
  name: "list-endpoints",
  role: "viewer",
  work: "read",
  request: ofMerchant,
  result: webhookEndpointListSchema,
});

/** Lists the failing endpoints of all merchants, in both modes. */
export const listFailingEndpoints = defineOperatorCommand({
  service: "webhooks",
  name: "list-failing-endpoints",
  role: "viewer",
  work: "read",
  request: z.object({}),
  result: z.object({ items: z.array(failingWebhookSchema), total: z.int() }),
});

/** Turns the default endpoint on, or changes its URL. */
export const putWebhook = defineOperatorCommand({
  service: "webhooks",
  name: "put-endpoint",
  role: "onboarder",
  request: ofMerchant.extend({ url: z.string(), ...recipient }),
  /** The answer has a `secret` the first time. */
  result: z.object({ url: z.string(), secret: sealedReplySchema.optional() }),
});

/** Adds an endpoint beside the default one. */
export const createWebhookEndpoint = defineOperatorCommand({
  service: "webhooks",
  name: "create-endpoint",
  role: "onboarder",
  request: ofMerchant.extend({ url: z.string(), events: z.array(eventTypeSchema), ...recipient }),
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

export const rotateWebhookSecret = defineOperatorCommand({
  service: "webhooks",
  name: "rotate-secret",
  role: "onboarder",
  work: "write",
  request: oneEndpoint.extend(recipient),
  result: z.object({ secret: sealedReplySchema, activatesAt: z.iso.datetime() }),
});

export const activateWebhookSecret = defineOperatorCommand({
  service: "webhooks",
  name: "activate-secret",
  role: "onboarder",
  work: "write",
  request: oneEndpoint,
  result: z.object({}),
});

export const testWebhook = defineOperatorCommand({
  service: "webhooks",
  name: "test-endpoint",
  role: "onboarder",
  request: oneEndpoint,
  result: webhookTestResultSchema,
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

export const listWebhookDeliveries = defineOperatorCommand({
  service: "webhooks",
  name: "list-deliveries",
  role: "viewer",
  work: "read",
  request: z.object({
    merchantId: z.uuid().optional(),
    endpointId: z.uuid().optional(),
    paymentId: z.uuid().optional(),
    /** The mode to list; both without it. */
    livemode: z.boolean().optional(),
    status: webhookDeliveryStatusSchema.optional(),
    limit: z.int(),
    cursor: z.string().optional(),
  }),
  result: webhookDeliveryPageSchema,
});

export const getWebhookDelivery = defineOperatorCommand({
  service: "webhooks",
  name: "get-delivery",
  role: "viewer",
  work: "read",
  request: z.object({ eventId: z.uuid() }),
  result: webhookDeliveryDetailSchema,
});

/** Sends an event again to the named endpoint, or to all that it was for. */
export const redeliverWebhook = defineOperatorCommand({
  service: "webhooks",
  name: "redeliver",
  role: "operations",
  work: "write",
  request: z.object({ eventId: z.uuid(), endpointId: z.uuid().optional() }),
  result: z.object({ queued: z.int() }),
});

export const redeliverFailedWebhooks = defineOperatorCommand({
  service: "webhooks",
  name: "redeliver-failed",
  role: "operations",
  work: "write",
  request: ofMerchant.extend({ since: z.iso.datetime({ offset: true }) }),
  result: z.object({ queued: z.int() }),
});

export const readWebhooksAuditLog = defineOperatorCommand({
  service: "webhooks",
  name: "audit-log",
  role: "viewer",
  work: "read",
  request: auditPageSchema,
  result: auditEntriesSchema,
});

/**
 * Names the events of an owner that the dispatcher does not have. Older events than `keptSince` are not missing, since
 * its retention drops them.
 */
export const findMissingEvents = defineServiceCommand({
  service: "webhooks",
  senders: EVENT_SOURCES,
  name: "missing-events",
  work: "read",
  request: z.object({ eventIds: z.array(z.uuid()).max(1_000) }),
  result: z.object({ missing: z.array(z.uuid()), keptSince: z.iso.datetime() }),
});

/** Confirms to an owner that these events are committed at the dispatcher; only this closes their outbox rows. */
export const confirmEvents = Object.fromEntries(
  EVENT_SOURCES.map((source) => [source, confirmEventsOf(source)]),
) as Record<EventSource, ReturnType<typeof confirmEventsOf>>;

function confirmEventsOf(source: EventSource) {
  return defineServiceCommand({
    service: source,
    senders: ["webhook-dispatcher"],
    name: "confirm-events",
    work: "write",
    request: z.object({ eventIds: z.array(z.uuid()).max(1_000) }),
    result: z.object({}),
  });
}
