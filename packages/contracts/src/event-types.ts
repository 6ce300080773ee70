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

/** The end of a hosted checkout, which comes once. Each of its payments has events of its own. */
export const CHECKOUT_COMPLETED = "checkout.completed";
export const CHECKOUT_EXPIRED = "checkout.expired";
export const CHECKOUT_CANCELLED = "checkout.cancelled";

/** A buyer has a 3-D Secure challenge to pass. */
export const PAYMENT_ENROLLED = "payment.enrolled";

/** A capture or a cancellation has ended, also one that was answered 202; `lastOperation` says how. */
export const PAYMENT_OPERATION_SETTLED = "payment.operation_settled";

/** An endpoint of the merchant fails for long, or was turned off; its other endpoints receive this event. */
export const WEBHOOK_DISABLED_WARNING = "webhook.disabled_warning";
export const WARNING_REASONS = ["FAILING", "TURNED_OFF"] as const;

/** A merchant's statement of a day and currency is complete, or is so again with another content. */
export const SETTLEMENT_STATEMENT_READY = "settlement.statement_ready";

/**
 * The events that a merchant's endpoint can subscribe to, with the status that each reports: of the payment, refund,
 * checkout or statement, or what has happened to an endpoint.
 */
export const STATUS_OF_EVENT = {
  [PAYMENT_STATUS_CHANGED]: z.enum(FINAL_STATUSES),
  [PAYMENT_CAPTURED]: z.literal("CAPTURED"),
  [REFUND_REQUESTED]: z.literal("PENDING_APPROVAL"),
  [PAYMENT_ENROLLED]: z.literal("ENROLLED"),
  // A declined operation leaves the payment as it was.
  [PAYMENT_OPERATION_SETTLED]: paymentStatusSchema.extract(["SUCCESS", "CAPTURED", "CANCELLED"]),
  // The payment's status, which a chargeback does not change.
  [PAYMENT_CHARGEBACK]: paymentStatusSchema,
  [CHECKOUT_COMPLETED]: z.literal("COMPLETED"),
  [CHECKOUT_EXPIRED]: z.literal("EXPIRED"),
  [CHECKOUT_CANCELLED]: z.literal("CANCELLED"),
  [WEBHOOK_DISABLED_WARNING]: z.enum(WARNING_REASONS),
  [SETTLEMENT_STATEMENT_READY]: z.literal("READY"),
} as const;

export type EventType = keyof typeof STATUS_OF_EVENT;
export type EventStatus = z.infer<(typeof STATUS_OF_EVENT)[EventType]>;

/** An endpoint without a choice of events gets the first one alone. */
export const EVENT_TYPES = Object.keys(STATUS_OF_EVENT) as [EventType, ...EventType[]];
export const eventTypeSchema = z.enum(EVENT_TYPES).meta({ id: "WebhookEventType" });

/** Events whose body is not a payment, a refund or a checkout. */
const ABOUT_NO_PAYMENT: ReadonlySet<string> = new Set([WEBHOOK_DISABLED_WARNING, SETTLEMENT_STATEMENT_READY]);

/** Tells whether an event of this type is about a payment, a refund or a checkout. */
export function isAboutPayment(eventType: string): boolean {
  return !ABOUT_NO_PAYMENT.has(eventType);
}
