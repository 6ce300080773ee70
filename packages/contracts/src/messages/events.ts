import { z } from "zod";
import { FINAL_STATUSES } from "../payment-status.ts";

/** Facts that leave a service through its outbox. The value of `x-event-type` (spec, Webhook request headers). */
export const PAYMENT_STATUS_CHANGED = "payment.status_changed";

/** What an operator sends to try an endpoint out; it is about no payment and is never repeated. */
export const WEBHOOK_TEST = "webhook.test";

/** Services that have an outbox. Each is told by command what has been received of its events. */
export const EVENT_SOURCES = ["payments", "refunds"] as const;
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
  /** Of the payment, or of the refund. */
  paymentId: z.uuid(),
  status: z.enum(FINAL_STATUSES),
  body: z.base64().min(4),
});
export type StatusChangedEvent = z.infer<typeof statusChangedEventSchema>;

/** Subject under which a service publishes its events. */
export function eventSubject(source: EventSource): string {
  return `events.${source}.${PAYMENT_STATUS_CHANGED}`;
}
