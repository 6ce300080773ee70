import { z } from "zod";
import {
  EVENT_SOURCES,
  PAYMENT_STATUS_CHANGED,
  statusOfEvent,
  typesOfSource,
  type EventSource,
  type EventStatus,
} from "../event-types.ts";

/** An operator's test of an endpoint, which is about no payment and is never repeated. */
export const WEBHOOK_TEST = "webhook.test";

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
  status: statusOfEvent(PAYMENT_STATUS_CHANGED),
  body: z.base64().min(4),
});

export type StatusChangedEvent = z.infer<typeof statusChangedEventSchema>;

/** Most events that a reader takes from one message of the stream; a publisher sends fewer. */
const LISTED_MAX = 1_000;

/**
 * A message of the stream is one event, or a list of events, each with the `traceparent` that a single event
 * has as a header. Readers judge each event by itself: an invalid one does not stop the others.
 */
export const eventListSchema = z.object({ events: z.array(z.unknown()).min(1).max(LISTED_MAX) });
export type ListedEvent = StatusChangedEvent & { traceparent?: string };

const published = [...new Set(EVENT_SOURCES.flatMap(typesOfSource))].map((type) =>
  statusChangedEventSchema.extend({
    eventType: z.literal(type),
    status: statusOfEvent(type) as z.ZodType<EventStatus>,
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
