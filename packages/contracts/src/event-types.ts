import { z } from "zod";

/** Facts that leave a service through its outbox. The value of `x-event-type` (spec, Webhook request headers). */
export const PAYMENT_STATUS_CHANGED = "payment.status_changed";

/** A capture is done: CAPTURED is not final, so it is no `payment.status_changed`. */
export const PAYMENT_CAPTURED = "payment.captured";

/** A refund waits for its approval. */
export const REFUND_REQUESTED = "refund.requested";

/** A chargeback of a payment was opened, or has another outcome. */
export const PAYMENT_CHARGEBACK = "payment.chargeback";

/** How a hosted checkout ended. It ends once, and each of its payments has events of its own. */
export const CHECKOUT_COMPLETED = "checkout.completed";
export const CHECKOUT_EXPIRED = "checkout.expired";
export const CHECKOUT_CANCELLED = "checkout.cancelled";

/** What a merchant's endpoint can subscribe to. An endpoint that nobody has chosen events for gets the first one alone. */
export const EVENT_TYPES = [
  PAYMENT_STATUS_CHANGED,
  PAYMENT_CAPTURED,
  REFUND_REQUESTED,
  PAYMENT_CHARGEBACK,
  CHECKOUT_COMPLETED,
  CHECKOUT_EXPIRED,
  CHECKOUT_CANCELLED,
] as const;
export const eventTypeSchema = z.enum(EVENT_TYPES).meta({ id: "WebhookEventType" });
export type EventType = z.infer<typeof eventTypeSchema>;
