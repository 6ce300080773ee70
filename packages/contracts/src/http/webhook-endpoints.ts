import { z } from "zod";
import { cardNumberFree } from "../card-number.ts";
import { FINAL_STATUSES } from "../payment-status.ts";
import { BODY_PROBLEMS, defineEndpoint, only, pathId, shownOnceSchema } from "./endpoint.ts";
import { pageQuery } from "./list-query.ts";
import { webhookErrorSchema } from "./webhook-errors.ts";

/** The operator API's webhook part (product.md, section 5): an endpoint for each merchant, and the delivery log. */

/**
 * `skipped`: the merchant had no webhooks when it happened; `cancelled`: they were turned off before it was delivered.
 */
export const WEBHOOK_DELIVERY_STATUSES = ["pending", "delivered", "failed", "skipped", "cancelled"] as const;
export const webhookDeliveryStatusSchema = z
  .enum(WEBHOOK_DELIVERY_STATUSES)
  .meta({ id: "WebhookDeliveryStatus" });
export type WebhookDeliveryStatus = z.infer<typeof webhookDeliveryStatusSchema>;

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
    deadlineAt: z.iso.datetime().meta({ description: "No scheduled attempt starts after this time" }),
    remainingSeconds: z
      .int()
      .meta({ description: "Seconds that remain for delivery; 0 once the time is over" }),
    attemptCount: z.int(),
    nextAttemptAt: z.iso.datetime().optional(),
    resolvedAt: z.iso.datetime().optional(),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const webhookAttemptSchema = z
  .object({
    number: z
      .int()
      .optional()
      .meta({ description: "The attempt's number in the schedule; absent for a manual resend" }),
    trigger: z.enum(["schedule", "manual"]),
    plannedAt: z.iso.datetime(),
    sentAt: z.iso.datetime(),
    succeeded: z.boolean(),
    ...result,
    requestTime: z.string().meta({ description: "Value of x-request-time in this attempt" }),
    signedPrefix: z.string().meta({ description: "Beginning of the signed string" }),
    bodyHash: z.string().meta({ description: "SHA-256 of the body's bytes, in hex" }),
    secretVersion: z.int().meta({ description: "Version of the secret that made x-request-signature" }),
    nextSecretVersion: z
      .int()
      .optional()
      .meta({ description: "Version of the secret that made x-request-signature-next" }),
    remoteAddress: z.string().optional(),
    responseSnippet: z
      .string()
      .optional()
      .meta({ description: "First KiB of the answer to a failed attempt" }),
    remainingSeconds: z
      .int()
      .meta({ description: "Seconds that remained for delivery when the attempt was sent" }),
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

/** A change of an endpoint that waits for nobody outside. */
const CHANGE = { listener: "operator", role: "onboarder", work: "write" } as const;
const merchantPath = z.object({ merchantId: pathId("Id of the merchant") });
const eventPath = z.object({ eventId: pathId("Id of the event: the webhook's x-event-id") });
const secret = shownOnceSchema("Its UTF-8 bytes are the HMAC key");

export const putMerchantWebhook = defineEndpoint({
  operationId: "putMerchantWebhook",
  listener: "operator",
  method: "PUT",
  path: "/operator/merchants/{merchantId}/webhook",
  role: "onboarder",
  summary: "Set a merchant's webhook URL",
  description:
    "Turns a merchant's webhooks on, or changes their URL. The secret is shown only once, when webhooks are " +
    "turned on. The URL must be https, without user name or password, on an allowed port and at a public " +
    "address.",
  pathParameters: merchantPath,
  notFound: "merchant_not_found",
  request: z
    .object({
      url: z
        .string()
        .max(2_048, { abort: true })
        .check(cardNumberFree)
        .meta({ format: "uri", pattern: "^https://", examples: ["https://shop.example/webhooks"] }),
    })
    .meta({ id: "PutWebhookRequest" }),
  responses: {
    201: {
      description: "Webhooks are on; the secret is shown only once",
      body: z.object({ url: z.string(), secret }).meta({ id: "CreatedWebhook" }),
    },
    200: { description: "The URL was changed", body: z.object({ url: z.string() }).meta({ id: "Webhook" }) },
  },
  problems: [...BODY_PROBLEMS, "merchant_not_found", "outcome_unknown", "forbidden"],
});

export const deleteMerchantWebhook = defineEndpoint({
  operationId: "deleteMerchantWebhook",
  ...CHANGE,
  method: "DELETE",
  path: "/operator/merchants/{merchantId}/webhook",
  summary: "Turn off a merchant's webhooks",
  description: "Turns webhooks off and cancels all pending deliveries.",
  pathParameters: merchantPath,
  notFound: "webhook_not_found",
  responses: { 204: { description: "Webhooks are off" } },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const rotateMerchantWebhookSecret = defineEndpoint({
  operationId: "rotateMerchantWebhookSecret",
  ...CHANGE,
  method: "POST",
  path: "/operator/merchants/{merchantId}/webhook/rotate-secret",
  summary: "Rotate a merchant's webhook secret",
  description:
    "Generates a new secret, which is shown only once. The old secret continues to sign `x-request-signature` until the " +
    "new one is activated, by `activate-secret` or automatically at `activatesAt`; until then the new secret signs " +
    "`x-request-signature-next`.",
  pathParameters: merchantPath,
  notFound: "webhook_not_found",
  responses: {
    200: {
      description: "The new secret and the time at which it replaces the old one",
      body: z.object({ secret, activatesAt: z.iso.datetime() }).meta({ id: "RotatedWebhookSecret" }),
    },
  },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const activateMerchantWebhookSecret = defineEndpoint({
  operationId: "activateMerchantWebhookSecret",
  ...CHANGE,
  method: "POST",
  path: "/operator/merchants/{merchantId}/webhook/activate-secret",
  summary: "Activate a merchant's new webhook secret",
  description:
    "The new secret signs `x-request-signature` from now on. Repeating the request changes nothing.",
  pathParameters: merchantPath,
  notFound: "webhook_not_found",
  responses: { 204: { description: "The new secret is active" } },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const testMerchantWebhook = defineEndpoint({
  operationId: "testMerchantWebhook",
  listener: "operator",
  method: "POST",
  path: "/operator/merchants/{merchantId}/webhook/test",
  role: "onboarder",
  summary: "Send a test webhook",
  description: "Sends a signed event of type `webhook.test` immediately.",
  pathParameters: merchantPath,
  notFound: "webhook_not_found",
  responses: { 200: { description: "Result of the delivery", body: webhookTestResultSchema } },
  problems: ["webhook_not_found", "outcome_unknown", "forbidden"],
});

export const listOperatorWebhookDeliveries = defineEndpoint({
  operationId: "listWebhookDeliveries",
  listener: "operator",
  method: "GET",
  path: "/operator/webhook-deliveries",
  role: "viewer",
  summary: "List webhook deliveries",
  description: "Returns the delivery log, newest first.",
  queryParameters: z.object({
    merchantId: only("deliveries of this merchant", z.uuid()),
    paymentId: only("deliveries about this payment or refund", z.uuid()),
    status: only("deliveries in this state", webhookDeliveryStatusSchema),
    ...pageQuery,
  }),
  responses: { 200: { description: "One page of deliveries", body: webhookDeliveryPageSchema } },
  problems: ["validation_failed", "forbidden"],
});

export const getOperatorWebhookDelivery = defineEndpoint({
  operationId: "getWebhookDelivery",
  listener: "operator",
  method: "GET",
  path: "/operator/webhook-deliveries/{eventId}",
  role: "viewer",
  summary: "Get a webhook delivery",
  description: "Returns the delivery of one event with its attempts, oldest first.",
  pathParameters: eventPath,
  notFound: "delivery_not_found",
  responses: { 200: { description: "The delivery", body: webhookDeliveryDetailSchema } },
  problems: ["delivery_not_found", "forbidden"],
});

const queued = {
  202: {
    description: "Number of events queued to be sent again",
    body: z.object({ queued: z.int() }).meta({ id: "QueuedRedeliveries" }),
  },
};

export const redeliverOperatorWebhook = defineEndpoint({
  operationId: "redeliverWebhook",
  listener: "operator",
  role: "operations",
  work: "write",
  method: "POST",
  path: "/operator/webhook-deliveries/{eventId}/redeliver",
  summary: "Resend a webhook",
  description:
    "Sends one event again immediately, whatever its status. The extra attempt does not change the schedule, " +
    "and ends it when it succeeds.",
  pathParameters: eventPath,
  notFound: "delivery_not_found",
  responses: queued,
  problems: ["delivery_not_found", "webhook_not_found", "outcome_unknown", "forbidden"],
});

export const redeliverFailedOperatorWebhooks = defineEndpoint({
  operationId: "redeliverFailedWebhooks",
  listener: "operator",
  role: "operations",
  work: "write",
  method: "POST",
  path: "/operator/webhook-deliveries/redeliver",
  summary: "Resend failed webhooks of a merchant",
  description:
    "Sends again all events of a merchant that have failed since a given time, oldest first and at most " +
    "10000 in one call. Events that are already queued are left out.",
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
