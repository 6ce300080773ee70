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
  STATUS_OF_EVENT,
  WEBHOOK_DISABLED_WARNING,
  type EventStatus,
  type EventType,
} from "../event-types.ts";

/** An operator's test of an endpoint, which is about no payment and is never repeated. */
export const WEBHOOK_TEST = "webhook.test";

/** The services that have an outbox. Each gets a command that confirms its received events. */
export const EVENT_SOURCES = ["payments", "refunds", "settlement"] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/**
 * A final state on its way to the merchant. `body` holds the webhook's exact bytes in base64: they were committed with
 * the state, and no process between parses and rewrites them.
 */
export const statusChangedEventSchema = z.object({
  /** An id whose time is when the state was reached. */
  eventId: z.uuidv7(),
  eventType: z.literal(PAYMENT_STATUS_CHANGED),
  source: z.enum(EVENT_SOURCES),
  merchantId: z.uuid(),
  /** The id of the event's subject: the payment, the refund, the checkout, or the statement. */
  paymentId: z.uuid(),
  status: STATUS_OF_EVENT[PAYMENT_STATUS_CHANGED],
  body: z.base64().min(4),
});

export type StatusChangedEvent = z.infer<typeof statusChangedEventSchema>;

/** Most events that a reader takes from one message of the stream; a publisher sends fewer. */
const LISTED_MAX = 1_000;

/**
 * A message of the stream is one event, or a list of them, each with the `traceparent` that a message of one event has
 * as a header. Readers judge each event by itself: an invalid one does not stop the others.
 */
export const eventListSchema = z.object({ events: z.array(z.unknown()).min(1).max(LISTED_MAX) });
export type ListedEvent = StatusChangedEvent & { traceparent?: string };

/** The types of events that services publish; the dispatcher itself writes the warnings. */
type PublishedType = Exclude<EventType, typeof WEBHOOK_DISABLED_WARNING>;

const { [WEBHOOK_DISABLED_WARNING]: _, ...STATUS_OF_PUBLISHED } = STATUS_OF_EVENT;
const published = Object.entries(STATUS_OF_PUBLISHED).map(([type, status]) =>
  statusChangedEventSchema.extend({
    eventType: z.literal(type as PublishedType),
    status: status as z.ZodType<EventStatus>,
  }),
);

/** An event of any type, with the status that it reports, as the stream carries it and endpoints subscribe to it. */
export const merchantEventSchema = z.discriminatedUnion("eventType", [published[0]!, ...published.slice(1)]);

export type MerchantEvent = z.infer<typeof merchantEventSchema>;

/** Subject under which a service publishes its events, and no other service may. */
export function eventSubject(source: EventSource): string {
  return `events.${source}.${PAYMENT_STATUS_CHANGED}`;
}

/** The service whose events have this subject; undefined for any other subject. */
export function sourceOfSubject(subject: string): EventSource | undefined {
  return EVENT_SOURCES.find((source) => eventSubject(source) === subject);
}

/** The types of events that each service has. One of another type is a forgery. */
export const TYPES_OF_SOURCE: Readonly<Record<EventSource, readonly PublishedType[]>> = {
  payments: [
    PAYMENT_STATUS_CHANGED,
    PAYMENT_CAPTURED,
    PAYMENT_ENROLLED,
    PAYMENT_OPERATION_SETTLED,
    PAYMENT_CHARGEBACK,
    CHECKOUT_COMPLETED,
    CHECKOUT_EXPIRED,
    CHECKOUT_CANCELLED,
  ],
  refunds: [PAYMENT_STATUS_CHANGED, REFUND_REQUESTED],
  settlement: [SETTLEMENT_STATEMENT_READY],
};
