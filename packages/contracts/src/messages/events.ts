import { z } from "zod";
import {
  CHECKOUT_CANCELLED,
  CHECKOUT_COMPLETED,
  CHECKOUT_EXPIRED,
  PAYMENT_CAPTURED,
  PAYMENT_CHARGEBACK,
  PAYMENT_ENROLLED,
  PAYMENT_OPERATION_SETTLED,
  PAYMENT_STATUS_CHANGED,
  REFUND_REQUESTED,
  SETTLEMENT_STATEMENT_READY,
} from "../event-types.ts";
import type { WebhookWarning } from "../http/webhook-warning.ts";
import { FINAL_STATUSES, paymentStatusSchema } from "../payment-status.ts";
import { settlingTermsSchema } from "./settlement-commands.ts";

/** What an operator sends to try an endpoint out; it is about no payment and is never repeated. */
export const WEBHOOK_TEST = "webhook.test";

/** Services that have an outbox. Each gets a command that names what has been received of its events. */
export const EVENT_SOURCES = ["payments", "refunds", "settlement"] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/**
 * A final state on its way to the merchant. `body` holds the webhook's exact bytes in base64: they were committed with
 * the state, and no process between parses and rewrites them.
 */
export const statusChangedEventSchema = z.object({
  /** Its time is when the state was reached. */
  eventId: z.uuidv7(),
  eventType: z.literal(PAYMENT_STATUS_CHANGED),
  source: z.enum(EVENT_SOURCES),
  merchantId: z.uuid(),
  /** What the event is about: the payment, the refund, the checkout, or the statement. */
  paymentId: z.uuid(),
  status: z.enum(FINAL_STATUSES),
  body: z.base64().min(4),
});

/**
 * A final state as the settlement service reads it: with what the merchant's record does not say of the payment. An event
 * of a refund, or of a version before, has no `settling`, and its owner is asked. The dispatcher does not read it.
 */
export const settledEventSchema = statusChangedEventSchema.extend({
  settling: settlingTermsSchema.optional(),
});
export type StatusChangedEvent = z.infer<typeof settledEventSchema>;

/** Most events that a reader takes from one message of the stream; a publisher sends fewer. */
const LISTED_MAX = 1_000;

/**
 * A message of the stream is one event, or a list of them, each with the `traceparent` that a message of one event has as a
 * header. Readers judge each event by itself: one that is none does not stop the others.
 */
export const eventListSchema = z.object({ events: z.array(z.unknown()).min(1).max(LISTED_MAX) });
export type ListedEvent = StatusChangedEvent & { traceparent?: string };

/** The same of any type, with the status that it reports: what the stream carries and endpoints subscribe to. */
export const merchantEventSchema = z.discriminatedUnion("eventType", [
  statusChangedEventSchema,
  statusChangedEventSchema.extend({
    eventType: z.literal(PAYMENT_CAPTURED),
    status: paymentStatusSchema.extract(["CAPTURED"]),
  }),
  statusChangedEventSchema.extend({
    eventType: z.literal(REFUND_REQUESTED),
    status: paymentStatusSchema.extract(["PENDING_APPROVAL"]),
  }),
  // The payment's status, which a chargeback does not change.
  statusChangedEventSchema.extend({
    eventType: z.literal(PAYMENT_CHARGEBACK),
    status: paymentStatusSchema,
  }),
  checkoutEvent(CHECKOUT_COMPLETED, "COMPLETED"),
  checkoutEvent(CHECKOUT_EXPIRED, "EXPIRED"),
  checkoutEvent(CHECKOUT_CANCELLED, "CANCELLED"),
  statusChangedEventSchema.extend({
    eventType: z.literal(PAYMENT_ENROLLED),
    status: paymentStatusSchema.extract(["ENROLLED"]),
  }),
  statusChangedEventSchema.extend({
    eventType: z.literal(PAYMENT_OPERATION_SETTLED),
    // A declined operation leaves the payment as it was.
    status: paymentStatusSchema.extract(["SUCCESS", "CAPTURED", "CANCELLED"]),
  }),
  statusChangedEventSchema.extend({
    eventType: z.literal(SETTLEMENT_STATEMENT_READY),
    status: z.literal("READY"),
  }),
]);

export type MerchantEvent = z.infer<typeof merchantEventSchema>;

/** What an event reports: the status of the payment, refund, checkout or statement, or what has happened to something else. */
export type EventStatus = MerchantEvent["status"] | WebhookWarning["reason"];

function checkoutEvent<Type extends string, Status extends string>(type: Type, status: Status) {
  return statusChangedEventSchema.extend({ eventType: z.literal(type), status: z.literal(status) });
}

/** Subject under which a service publishes its events. */
export function eventSubject(source: EventSource): string {
  return `events.${source}.${PAYMENT_STATUS_CHANGED}`;
}
