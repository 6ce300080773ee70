import { z } from "zod";
import { auditEntriesSchema, auditPageSchema } from "../http/audit-log.ts";
import { sealedReplySchema } from "../sealed-reply.ts";
import {
  webhookDeliveryDetailSchema,
  webhookDeliveryPageSchema,
  webhookDeliveryStatusSchema,
  webhookTestResultSchema,
} from "../http/webhook-delivery.ts";
import { EVENT_SOURCES, type EventSource } from "./events.ts";
import { defineOperatorCommand, defineServiceCommand } from "./message.ts";

/** What is asked of the webhook dispatcher, and what it tells the owners of the events. */

/**
 * `recipientKey` is the asker's, generated for this one request: the secret comes back sealed to it, so that nobody who
 * listens on the bus sees it.
 */
const oneMerchant = z.object({ merchantId: z.uuid() });
const withRecipient = oneMerchant.extend({ recipientKey: z.string() });

export const putWebhook = defineOperatorCommand({
  service: "webhooks",
  name: "put-endpoint",
  role: "onboarder",
  request: withRecipient.extend({ url: z.string() }),
  /** `secret` the first time. */
  result: z.object({ url: z.string(), secret: sealedReplySchema.optional() }),
});

export const deleteWebhook = defineOperatorCommand({
  service: "webhooks",
  name: "delete-endpoint",
  role: "onboarder",
  work: "write",
  request: oneMerchant,
  result: z.object({}),
});

export const rotateWebhookSecret = defineOperatorCommand({
  service: "webhooks",
  name: "rotate-secret",
  role: "onboarder",
  work: "write",
  request: withRecipient,
  result: z.object({ secret: sealedReplySchema, activatesAt: z.iso.datetime() }),
});

export const activateWebhookSecret = defineOperatorCommand({
  service: "webhooks",
  name: "activate-secret",
  role: "onboarder",
  work: "write",
  request: oneMerchant,
  result: z.object({}),
});

export const testWebhook = defineOperatorCommand({
  service: "webhooks",
  name: "test-endpoint",
  role: "onboarder",
  request: oneMerchant,
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
    /** Of which mode; without it, of both. */
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

export const redeliverWebhook = defineOperatorCommand({
  service: "webhooks",
  name: "redeliver",
  role: "operations",
  work: "write",
  request: z.object({ eventId: z.uuid() }),
  result: z.object({ queued: z.int() }),
});

export const redeliverFailedWebhooks = defineOperatorCommand({
  service: "webhooks",
  name: "redeliver-failed",
  role: "operations",
  work: "write",
  request: oneMerchant.extend({ since: z.iso.datetime({ offset: true }) }),
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
 * Which of an owner's events the dispatcher does not have. Events of before `keptSince` are not missing, since its
 * retention drops them; a dispatcher from before this field does not return it.
 */
export const findMissingEvents = defineServiceCommand({
  service: "webhooks",
  senders: EVENT_SOURCES,
  name: "missing-events",
  work: "read",
  request: z.object({ eventIds: z.array(z.uuid()).max(1_000) }),
  result: z.object({ missing: z.array(z.uuid()), keptSince: z.iso.datetime().optional() }),
});

/** Tells an owner that these events are committed at the dispatcher; only this closes their outbox rows. */
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
