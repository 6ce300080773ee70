import { z } from "zod";
import { FINAL_STATUSES, paymentStatusSchema } from "./payment-status.ts";

/** Facts that leave a service through its outbox. The value of `x-event-type` (spec, Webhook request headers). */
export const PAYMENT_STATUS_CHANGED = "payment.status_changed";

/** A capture is done: CAPTURED is not final, so it is no `payment.status_changed`. */
export const PAYMENT_CAPTURED = "payment.captured";

/** A refund waits for its approval. */
export const REFUND_REQUESTED = "refund.requested";

/** A chargeback of a payment was opened, or has another outcome. */
export const PAYMENT_CHARGEBACK = "payment.chargeback";

/** The end of a hosted checkout, which comes once. Each payment of the checkout has events of its own. */
export const CHECKOUT_COMPLETED = "checkout.completed";
export const CHECKOUT_EXPIRED = "checkout.expired";
export const CHECKOUT_CANCELLED = "checkout.cancelled";

/** A buyer has a 3-D Secure challenge to pass. */
export const PAYMENT_ENROLLED = "payment.enrolled";

/** A capture or a cancellation has ended, even if it was first answered 202; `lastOperation` says how. */
export const PAYMENT_OPERATION_SETTLED = "payment.operation_settled";

/** An endpoint of the merchant fails for long, or was removed or switched; its other endpoints receive this event. */
export const WEBHOOK_DISABLED_WARNING = "webhook.disabled_warning";
export const WARNING_REASONS = ["FAILING", "TURNED_OFF", "SWITCHED_OFF", "SWITCHED_ON"] as const;

/** An endpoint of the merchant was added or changed; the merchant's other endpoints receive this event. */
export const WEBHOOK_ENDPOINT_CHANGED = "webhook.endpoint_changed";
export const ENDPOINT_CHANGES = ["ADDED", "CHANGED", "SECRET_ROTATED", "SECRET_ACTIVATED"] as const;

/** A merchant's statement of a day and currency is complete, or is so again with another content. */
export const SETTLEMENT_STATEMENT_READY = "settlement.statement_ready";

/** The services that have an outbox. Each gets a command that confirms its received events. */
export const EVENT_SOURCES = ["payments", "refunds", "settlement"] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/**
 * The events that a merchant's endpoint can subscribe to, with the services that publish each, and the status
 * that it reports: of the payment, refund, checkout or statement, or of an endpoint. The dispatcher itself
 * writes the events about endpoints.
 */
const EVENTS = {
  [PAYMENT_STATUS_CHANGED]: { by: ["payments", "refunds"], status: z.enum(FINAL_STATUSES) },
  [PAYMENT_CAPTURED]: { by: ["payments"], status: z.literal("CAPTURED") },
  [REFUND_REQUESTED]: { by: ["refunds"], status: z.literal("PENDING_APPROVAL") },
  [PAYMENT_ENROLLED]: { by: ["payments"], status: z.literal("ENROLLED") },
  // A declined operation leaves the payment as it was.
  [PAYMENT_OPERATION_SETTLED]: {
    by: ["payments"],
    status: paymentStatusSchema.extract(["SUCCESS", "CAPTURED", "CANCELLED"]),
  },
  // The payment's status, which a chargeback does not change.
  [PAYMENT_CHARGEBACK]: { by: ["payments"], status: paymentStatusSchema },
  [CHECKOUT_COMPLETED]: { by: ["payments"], status: z.literal("COMPLETED") },
  [CHECKOUT_EXPIRED]: { by: ["payments"], status: z.literal("EXPIRED") },
  [CHECKOUT_CANCELLED]: { by: ["payments"], status: z.literal("CANCELLED") },
  [WEBHOOK_DISABLED_WARNING]: { by: [], status: z.enum(WARNING_REASONS) },
  [WEBHOOK_ENDPOINT_CHANGED]: { by: [], status: z.enum(ENDPOINT_CHANGES) },
  [SETTLEMENT_STATEMENT_READY]: { by: ["settlement"], status: z.literal("READY") },
} as const;

export type EventType = keyof typeof EVENTS;
export type EventStatus = z.infer<(typeof EVENTS)[EventType]["status"]>;

/** The schema of the status that an event of this type reports. */
export function statusOfEvent<Type extends EventType>(type: Type): (typeof EVENTS)[Type]["status"] {
  return EVENTS[type].status;
}

/** The types of events that each service has. One of another type is a forgery. */
export function typesOfSource(source: EventSource): EventType[] {
  const publishersOf = (type: EventType): readonly EventSource[] => EVENTS[type].by;
  return EVENT_TYPES.filter((type) => publishersOf(type).includes(source));
}

/** An endpoint without a choice of events gets the first one alone. */
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
export const eventTypeSchema = z.enum(EVENT_TYPES).meta({ id: "WebhookEventType" });

/** Events whose body is not a payment, a refund or a checkout. */
const ABOUT_NO_PAYMENT: ReadonlySet<string> = new Set([
  WEBHOOK_DISABLED_WARNING,
  WEBHOOK_ENDPOINT_CHANGED,
  SETTLEMENT_STATEMENT_READY,
]);

/** True if an event of this type is about a payment, a refund or a checkout. */
export function isAboutPayment(eventType: string): boolean {
  return !ABOUT_NO_PAYMENT.has(eventType);
}
