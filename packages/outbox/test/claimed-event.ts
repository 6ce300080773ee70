import type { ClaimedEvent } from "../src/outbox-statements.ts";

/** An event as the relay has it, published for the first time. */
export const claimedEvent = (event_id: string, change: Partial<ClaimedEvent> = {}): ClaimedEvent => ({
  event_id,
  event_type: "payment.status_changed",
  merchant_id: "m",
  payment_id: "p",
  status: "SUCCESS",
  body: Buffer.from("{}"),
  traceparent: null,
  publish_attempts: 1,
  ...change,
});
