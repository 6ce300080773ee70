import { z } from "zod";
import { FINAL_STATUSES } from "../payment-status.ts";
import { BODY_PROBLEMS, defineEndpoint, pathId } from "./endpoint.ts";
import { pageQuery } from "./operator-payments.ts";

/** The operator API's webhook part (product.md, section 5): an endpoint for each merchant, and the delivery log. */

/**
 * `skipped`: the merchant had no webhooks when it happened; `cancelled`: they were turned off before it was delivered.
 */
export const WEBHOOK_DELIVERY_STATUSES = ["pending", "delivered", "failed", "skipped", "cancelled"] as const;
export const webhookDeliveryStatusSchema = z
  .enum(WEBHOOK_DELIVERY_STATUSES)
  .meta({ id: "WebhookDeliveryStatus" });
export type WebhookDeliveryStatus = z.infer<typeof webhookDeliveryStatusSchema>;

/** Why an attempt was no success. A class and no more: what the network said would tell a port scanner too much. */
export const WEBHOOK_ERRORS = ["dns", "refused", "reset", "tls", "timeout", "blocked", "status"] as const;
export const webhookErrorSchema = z.enum(WEBHOOK_ERRORS).meta({
  id: "WebhookError",
  description:
    "`dns`: the name has no address; `refused`: no connection; `reset`: it broke before an answer; `tls`: the " +
    "certificate is not valid for the name; `timeout`; `blocked`: the address may not be called; `status`: not 2xx",
});
export type WebhookError = z.infer<typeof webhookErrorSchema>;

const result = {
  statusCode: z.int().optional(),
  error: webhookErrorSchema.optional(),
  durationMs: z.int(),
};

export const webhookTestResultSchema = z
  .object({ eventId: z.uuid(), delivered: z.boolean(), ...result, responseSnippet: z.string().optional() })
  .meta({ id: "WebhookTestResult" });
export type WebhookTestResult = z.infer<typeof webhookTestResultSchema>;

export const webhookDeliverySchema = z
  .object({
    eventId: z.uuid().meta({ description: "The webhook's x-event-id" }),
    eventType: z.string(),
    merchantId: z.uuid(),
    paymentId: z.uuid(),
    paymentStatus: z.enum(FINAL_STATUSES),
    status: webhookDeliveryStatusSchema,
    occurredAt: z.iso.datetime(),
    deadlineAt: z.iso.datetime().meta({ description: "No scheduled attempt starts after it" }),
    remainingSeconds: z.int().meta({ description: "What is left of the window; 0 once it is over" }),
    attemptCount: z.int(),
    nextAttemptAt: z.iso.datetime().optional(),
    resolvedAt: z.iso.datetime().optional(),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const webhookAttemptSchema = z
  .object({
    number: z.int().optional().meta({ description: "Of the schedule; a resend by hand has none" }),
    trigger: z.enum(["schedule", "manual"]),
    plannedAt: z.iso.datetime(),
    sentAt: z.iso.datetime(),
    succeeded: z.boolean(),
    ...result,
    requestTime: z.string().meta({ description: "The x-request-time that was sent" }),
    signedPrefix: z.string().meta({ description: "How the signed string began" }),
    bodyHash: z.string().meta({ description: "Hex SHA-256 of the body's bytes" }),
    secretVersion: z.int().meta({ description: "Of the secret that made x-request-signature" }),
    nextSecretVersion: z
      .int()
      .optional()
      .meta({ description: "Of the one that made x-request-signature-next" }),
    remoteAddress: z.string().optional(),
    responseSnippet: z.string().optional().meta({ description: "The answer's first KiB, for failures" }),
    remainingSeconds: z.int().meta({ description: "What was left of the window when it was sent" }),
  })
  .meta({ id: "WebhookAttempt" });
export type WebhookAttempt = z.infer<typeof webhookAttemptSchema>;

export const webhookDeliveryDetailSchema = webhookDeliverySchema
  .extend({ attempts: z.array(webhookAttemptSchema) })
  .meta({ id: "WebhookDeliveryDetail" });
export type WebhookDeliveryDetail = z.infer<typeof webhookDeliveryDetailSchema>;

export const webhookDeliveryPageSchema = z
  .object({ items: z.array(webhookDeliverySchema), nextCursor: z.string().optional() })
  .meta({ id: "WebhookDeliveryPage" });

const merchantPath = z.object({ merchantId: pathId });
const eventPath = z.object({ eventId: pathId });
const secret = z.string().meta({ description: "Shown this once; its UTF-8 bytes are the HMAC key" });

export const putMerchantWebhook = defineEndpoint({
  operationId: "putMerchantWebhook",
  listener: "operator",
  method: "PUT",
  path: "/operator/merchants/{merchantId}/webhook",
  role: "admin",
  summary: "Turn a merchant's webhooks on, or change their URL",
  description: "The URL must be https, without user or password, on an allowed port and at a public address.",
  pathParameters: merchantPath,
  notFound: "merchant_not_found",
  request: z.object({ url: z.string().max(2_048) }).meta({ id: "PutWebhookRequest" }),
  responses: {
    201: {
      description: "Turned on; the secret is shown once",
      body: z.object({ url: z.string(), secret }).meta({ id: "CreatedWebhook" }),
    },
    200: { description: "The URL was changed", body: z.object({ url: z.string() }).meta({ id: "Webhook" }) },
  },
  problems: [...BODY_PROBLEMS, "merchant_not_found", "outcome_unknown", "forbidden"],
});

export const deleteMerchantWebhook = defineEndpoint({
  operationId: "deleteMerchantWebhook",
  listener: "operator",
  method: "DELETE",
  path: "/operator/merchants/{merchantId}/webhook",
  role: "admin",
  summary: "Turn a merchant's webhooks off; what is not delivered yet is cancelled",
  pathParameters: merchantPath,
  notFound: "webhook_not_found",
  responses: { 204: { description: "Off" } },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const rotateMerchantWebhookSecret = defineEndpoint({
  operationId: "rotateMerchantWebhookSecret",
  listener: "operator",
  method: "POST",
  path: "/operator/merchants/{merchantId}/webhook/rotate-secret",
  role: "admin",
  summary: "Draw a new webhook secret; it is shown once",
  description:
    "The old secret goes on signing `x-request-signature` until the new one is activated, by `activate-secret` or by " +
    "time; until then the new one signs `x-request-signature-next`.",
  pathParameters: merchantPath,
  notFound: "webhook_not_found",
  responses: {
    200: {
      description: "The new secret and when it becomes the only one",
      body: z.object({ secret, activatesAt: z.iso.datetime() }).meta({ id: "RotatedWebhookSecret" }),
    },
  },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const activateMerchantWebhookSecret = defineEndpoint({
  operationId: "activateMerchantWebhookSecret",
  listener: "operator",
  method: "POST",
  path: "/operator/merchants/{merchantId}/webhook/activate-secret",
  role: "admin",
  summary: "Let the new secret sign from now on; done already, it changes nothing",
  pathParameters: merchantPath,
  notFound: "webhook_not_found",
  responses: { 204: { description: "Active" } },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const testMerchantWebhook = defineEndpoint({
  operationId: "testMerchantWebhook",
  listener: "operator",
  method: "POST",
  path: "/operator/merchants/{merchantId}/webhook/test",
  role: "admin",
  summary: "Send a signed event of type `webhook.test` now",
  pathParameters: merchantPath,
  notFound: "webhook_not_found",
  responses: { 200: { description: "How it went", body: webhookTestResultSchema } },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const listOperatorWebhookDeliveries = defineEndpoint({
  operationId: "listWebhookDeliveries",
  listener: "operator",
  method: "GET",
  path: "/operator/webhook-deliveries",
  role: "viewer",
  summary: "The delivery log, newest first",
  queryParameters: z.object({
    merchantId: z.uuid().optional(),
    paymentId: z.uuid().optional(),
    status: webhookDeliveryStatusSchema.optional(),
    ...pageQuery,
  }),
  responses: { 200: { description: "A page", body: webhookDeliveryPageSchema } },
  problems: ["validation_failed", "forbidden"],
});

export const getOperatorWebhookDelivery = defineEndpoint({
  operationId: "getWebhookDelivery",
  listener: "operator",
  method: "GET",
  path: "/operator/webhook-deliveries/{eventId}",
  role: "viewer",
  summary: "One event with its attempts, oldest first",
  pathParameters: eventPath,
  notFound: "delivery_not_found",
  responses: { 200: { description: "The delivery", body: webhookDeliveryDetailSchema } },
  problems: ["delivery_not_found", "forbidden"],
});

const queued = {
  202: { description: "Queued", body: z.object({ queued: z.int() }).meta({ id: "QueuedRedeliveries" }) },
};

export const redeliverOperatorWebhook = defineEndpoint({
  operationId: "redeliverWebhook",
  listener: "operator",
  method: "POST",
  path: "/operator/webhook-deliveries/{eventId}/redeliver",
  role: "admin",
  summary: "Send one event again now, whatever became of it",
  description: "An extra attempt: it does not move the schedule, and ends it when it succeeds.",
  pathParameters: eventPath,
  notFound: "delivery_not_found",
  responses: queued,
  problems: ["delivery_not_found", "webhook_not_found", "outcome_unknown", "forbidden"],
});

export const redeliverFailedOperatorWebhooks = defineEndpoint({
  operationId: "redeliverFailedWebhooks",
  listener: "operator",
  method: "POST",
  path: "/operator/webhook-deliveries/redeliver",
  role: "admin",
  summary: "Send again everything that failed for a merchant since a time",
  description:
    "At most 10000 events a call, oldest first; `queued` says how many. One that is queued already is left out.",
  request: z
    .object({ merchantId: z.uuid(), since: z.iso.datetime({ offset: true }) })
    .meta({ id: "RedeliverFailedRequest" }),
  responses: queued,
  problems: [...BODY_PROBLEMS, "webhook_not_found", "outcome_unknown", "forbidden"],
});

/** In the order of the document. */
export const WEBHOOK_ENDPOINTS = [
  putMerchantWebhook,
  deleteMerchantWebhook,
  rotateMerchantWebhookSecret,
  activateMerchantWebhookSecret,
  testMerchantWebhook,
  listOperatorWebhookDeliveries,
  getOperatorWebhookDelivery,
  redeliverOperatorWebhook,
  redeliverFailedOperatorWebhooks,
];
