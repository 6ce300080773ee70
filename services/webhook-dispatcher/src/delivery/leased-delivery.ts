import type { EventStatus } from "@holdfast/contracts";
import type { Trigger } from "../database.ts";
import type { StoredEndpoint } from "../endpoint/stored-endpoint.ts";

/** A delivery under a lease of this process, with everything that sending it takes. */
export type LeasedDelivery = {
  deliveryId: string;
  leaseToken: string;
  /** Monotonic milliseconds, counted from before the lease was requested: it lasts at least until then. */
  leasedUntil: number;
  eventId: string;
  eventType: string;
  occurredAt: Date;
  merchantId: string;
  endpointId: string;
  paymentId: string;
  paymentStatus: EventStatus;
  body: Buffer;
  traceparent: string | null;
  trigger: Trigger;
  attempt: number;
  dueAt: Date;
  deadlineAt: Date;
  endpoint: StoredEndpoint;
  /** Monotonic milliseconds at which the endpoint was read. */
  endpointReadAt: number;
};

/** The row of the statements that lease deliveries. */
export type LeasedDeliveryRow = {
  delivery_id: string;
  lease_token: string;
  event_id: string;
  event_type: string;
  occurred_at: Date;
  merchant_id: string;
  payment_id: string;
  status: EventStatus;
  body: Buffer;
  traceparent: string | null;
  trigger: Trigger;
  attempt: number;
  due_at: Date;
  deadline_at: Date;
} & StoredEndpoint;

export function leasedDelivery(row: LeasedDeliveryRow, askedAt: number, leaseMs: number): LeasedDelivery {
  return {
    deliveryId: row.delivery_id,
    leaseToken: row.lease_token,
    leasedUntil: askedAt + leaseMs,
    eventId: row.event_id,
    eventType: row.event_type,
    occurredAt: row.occurred_at,
    merchantId: row.merchant_id,
    endpointId: row.endpoint_id,
    paymentId: row.payment_id,
    paymentStatus: row.status,
    body: row.body,
    traceparent: row.traceparent,
    trigger: row.trigger,
    attempt: row.attempt,
    dueAt: row.due_at,
    deadlineAt: row.deadline_at,
    endpoint: row,
    endpointReadAt: askedAt,
  };
}
