/** Facts that leave a service through its outbox. The value of `x-event-type` (spec, Webhook request headers). */
export const PAYMENT_STATUS_CHANGED = "payment.status_changed";
