import { z } from "zod";
import { livemodeSchema } from "../livemode.ts";
import { PAYMENT_STATUSES } from "../payment-status.ts";
import { pageOf } from "./list-query.ts";
import { merchantIdSchema } from "./merchant-id.ts";
import { merchantName } from "./merchant-name.ts";
import { webhookErrorSchema } from "./webhook-errors.ts";

/** A webhook and its attempts in the delivery log. */

/**
 * `skipped`: the endpoint was off or did not want the event when it happened; `cancelled`: the endpoint was removed
 * before the delivery, or what waited for it was discarded.
 */
export const WEBHOOK_DELIVERY_STATUSES = ["pending", "delivered", "failed", "skipped", "cancelled"] as const;
export const webhookDeliveryStatusSchema = z.enum(WEBHOOK_DELIVERY_STATUSES).meta({
  id: "WebhookDeliveryStatus",
  description:
    "`pending` until an endpoint has answered with a 2xx status or the time is over; `skipped`: no endpoint wanted the event " +
    "when it happened; `cancelled`: the endpoint was removed before it was delivered, or what waited for it was discarded",
});
export type WebhookDeliveryStatus = z.infer<typeof webhookDeliveryStatusSchema>;

const result = {
  statusCode: z
    .int()
    .optional()
    .meta({ description: "HTTP status that the endpoint answered with; absent where no answer came" }),
  error: webhookErrorSchema.optional(),
  durationMs: z.int().meta({ description: "How long the attempt took, in milliseconds" }),
};

const nextAttemptAt = z.iso
  .datetime()
  .optional()
  .meta({ description: "When it is sent next (UTC); absent once nothing is due" });
const resolvedAt = z.iso.datetime().optional().meta({ description: "When it was no longer `pending` (UTC)" });

const responseSnippet = z
  .string()
  .optional()
  .meta({ description: "First KiB of the answer to a failed attempt" });

export const webhookTestResultSchema = z
  .object({
    eventId: z.uuid().meta({ description: "The webhook's x-event-id" }),
    delivered: z.boolean().meta({ description: "Whether the endpoint answered with a 2xx status in time" }),
    ...result,
    responseSnippet,
  })
  .meta({ id: "WebhookTestResult", description: "What became of a test" });
export type WebhookTestResult = z.infer<typeof webhookTestResultSchema>;

/** The status that an event reports: of a payment or a refund, and with `checkout.` events of a checkout. */
const eventStatusSchema = z.enum([...PAYMENT_STATUSES, "COMPLETED", "EXPIRED"]).meta({
  id: "WebhookEventStatus",
  description:
    "Status that the event reports: of a payment or a refund, and with `checkout.` events of a checkout",
});

export const webhookDeliverySchema = z
  .object({
    eventId: z.uuid().meta({ description: "The webhook's x-event-id" }),
    eventType: z
      .string()
      .meta({ description: "The webhook's x-event-type", examples: ["payment.status_changed"] }),
    merchantId: merchantIdSchema,
    livemode: livemodeSchema,
    paymentId: z.uuid().optional().meta({
      description: "The payment, refund or checkout; absent where the event is about something else",
    }),
    paymentStatus: eventStatusSchema.optional(),
    orderId: z.string().optional().meta({
      description: "The merchant's order number of the payment, refund or checkout, as the event has it",
    }),
    endpointId: z.uuid().meta({
      description:
        "The endpoint that it is for; the default endpoint's id is the merchant's, in test mode with version 8",
    }),
    status: webhookDeliveryStatusSchema,
    occurredAt: z.iso.datetime().meta({ description: "When it happened (UTC)" }),
    deadlineAt: z.iso.datetime().meta({ description: "No scheduled attempt starts after this time" }),
    remainingSeconds: z
      .int()
      .meta({ description: "Seconds that remain for delivery; 0 once the time is over" }),
    attemptCount: z.int().meta({ description: "Number of attempts so far, those that people asked for too" }),
    lastError: webhookErrorSchema
      .optional()
      .meta({ description: "Why the latest attempt failed; absent where it succeeded or there was none" }),
    lastStatusCode: z
      .int()
      .optional()
      .meta({ description: "What the endpoint answered to the latest attempt; absent where no answer came" }),
    nextAttemptAt,
    resolvedAt,
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const webhookAttemptSchema = z
  .object({
    number: z
      .int()
      .optional()
      .meta({ description: "The attempt's number in the schedule; absent for a manual resend" }),
    trigger: z.enum(["schedule", "manual"]).meta({ description: "`manual`: somebody asked for it" }),
    endpointId: z.uuid().meta({ description: "The endpoint that it was sent to" }),
    plannedAt: z.iso.datetime().meta({ description: "When it was due (UTC)" }),
    sentAt: z.iso.datetime().meta({ description: "When it was sent (UTC)" }),
    succeeded: z.boolean().meta({ description: "Whether the endpoint answered with a 2xx status in time" }),
    ...result,
    requestTime: z.string().meta({ description: "Value of x-request-time in this attempt" }),
    signedPrefix: z.string().meta({ description: "Beginning of the signed string" }),
    bodyHash: z.string().meta({ description: "SHA-256 of the body's bytes, in hex" }),
    secretVersion: z.int().meta({ description: "Version of the secret that made x-request-signature" }),
    nextSecretVersion: z
      .int()
      .optional()
      .meta({ description: "Version of the secret that made x-request-signature-next" }),
    remoteAddress: z
      .string()
      .optional()
      .meta({ description: "IP address that it was sent to; absent where none was found" }),
    responseSnippet,
    remainingSeconds: z
      .int()
      .meta({ description: "Seconds that remained for delivery when the attempt was sent" }),
  })
  .meta({ id: "WebhookAttempt" });
export type WebhookAttempt = z.infer<typeof webhookAttemptSchema>;

export const webhookDeliveryDetailSchema = webhookDeliverySchema
  .extend({
    endpoints: z
      .array(
        z
          .object({
            endpointId: z.uuid().meta({ description: "The endpoint" }),
            status: webhookDeliveryStatusSchema,
            nextAttemptAt,
            resolvedAt,
          })
          .meta({ id: "WebhookAtEndpoint" }),
      )
      .meta({ description: "What became of the event at each endpoint, the default one first" }),
    attempts: z.array(webhookAttemptSchema).meta({ description: "Every attempt, oldest first" }),
  })
  .meta({ id: "WebhookDeliveryDetail" });
export type WebhookDeliveryDetail = z.infer<typeof webhookDeliveryDetailSchema>;

export const webhookDeliveryPageSchema = pageOf(
  webhookDeliverySchema
    .extend({ merchantName })
    .meta({ id: "ListedWebhookDelivery", description: "A delivery with its merchant's name" }),
  "newest first",
).meta({
  id: "WebhookDeliveryPage",
});

/** The most bytes of a body that people get. All of our events are far smaller. */
export const WEBHOOK_BODY_SHOWN_BYTES = 65_536;

export const webhookBodySchema = z
  .object({
    eventId: z.uuid().meta({ description: "The webhook's x-event-id" }),
    body: z.string().meta({
      description: `The body as it is sent, in UTF-8; of one with more than ${WEBHOOK_BODY_SHOWN_BYTES} bytes the first of them`,
    }),
    bytes: z.int().meta({ description: "Bytes of the whole body" }),
  })
  .meta({ id: "WebhookBody", description: "The body that is sent, the same in every attempt" });
export type WebhookBody = z.infer<typeof webhookBodySchema>;
