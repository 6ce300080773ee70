import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { WebhooksDatabase } from "../database.ts";
import { leasedDelivery, type LeasedDelivery, type LeasedDeliveryRow } from "../delivery/leased-delivery.ts";
import { ACCEPT, GIVEN_COLUMNS, type GivenEvent } from "./accept-statements.ts";
import type { IncomingEvent } from "./parse-event.ts";

export type AcceptOptions = { leaseMs: number; windowMs: number; shiftMs: number };

/** An event with whether its delivery may be leased immediately. */
export type EventToAccept = { event: IncomingEvent; lease: boolean };

/**
 * Accepts events, in one statement and so in one transaction: the event, and its delivery, leased where there is room
 * for it. Whether a merchant has webhooks is read from the table in the same moment, never from a cache: the first
 * event after they were turned on must not be lost. An event that is here already is left as it is.
 *
 * @returns the deliveries that are leased, to be sent now, and how many were left for a claim.
 */
export async function acceptEvents(
  pool: Pool,
  events: EventToAccept[],
  { leaseMs, windowMs, shiftMs }: AcceptOptions,
): Promise<{ leased: LeasedDelivery[]; left: number }> {
  const askedAt = performance.now();
  const given = events.map(givenEvent);
  const { rows } = await pool.query<LeasedDeliveryRow | { [Name in keyof LeasedDeliveryRow]: null }>({
    ...ACCEPT,
    values: [leaseMs, windowMs, shiftMs, ...GIVEN_COLUMNS.map(([column]) => given.map((row) => row[column]))],
  });
  const leased = rows.filter((row): row is LeasedDeliveryRow => row.lease_token !== null);
  return {
    leased: leased.map((row) => leasedDelivery(row, askedAt, leaseMs)),
    left: rows.length - leased.length,
  };
}

function givenEvent({ event, lease }: EventToAccept): GivenEvent {
  return {
    event_id: event.eventId,
    source: event.source,
    event_type: event.eventType,
    merchant_id: event.merchantId,
    payment_id: event.paymentId,
    status: event.status,
    body: event.body,
    traceparent: event.traceparent,
    lease,
  };
}

/**
 * Stores a message that is not an event with the reason, for operators to look at. Its owner goes on publishing it; of
 * all copies the first is stored.
 */
export async function keepPoison(
  db: Kysely<WebhooksDatabase>,
  { subject, sequence, reason, data, key }: Poison,
): Promise<void> {
  await db
    .insertInto("poison")
    .values({
      subject,
      sequence: BigInt(sequence),
      reason: reason.slice(0, REASON_MAX),
      data: Buffer.from(data),
      message_key: key,
    })
    .onConflict((conflict) => conflict.column("message_key").doNothing())
    .execute();
}

type Poison = { subject: string; sequence: number; reason: string; data: Uint8Array; key: string };

const REASON_MAX = 2_000;
