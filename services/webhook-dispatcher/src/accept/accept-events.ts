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
 * Accepts events in one statement, and so in one transaction: each event, and its delivery, leased if there
 * is room for it. The table says in the same moment whether a merchant has webhooks, never a cache: the first
 * event after they were turned on must not be lost. A known event is left as it is.
 *
 * @returns the deliveries that are leased, to be sent now, and the number of deliveries left for a claim.
 */
export async function acceptEvents(
  pool: Pool,
  events: EventToAccept[],
  { leaseMs, windowMs, shiftMs }: AcceptOptions,
): Promise<{ leased: LeasedDelivery[]; left: number }> {
  const askedAt = performance.now();
  const given = events.map(givenEvent);
  const { rows } = await pool.query<AcceptedRow>({
    ...ACCEPT,
    values: [leaseMs, windowMs, shiftMs, ...GIVEN_COLUMNS.map(([column]) => given.map((row) => row[column]))],
  });
  const leased = rows.filter(({ lease_token }) => lease_token !== null);
  // Copies of one event are the same but for their traces.
  const known = new Map(given.map((event) => [event.event_id, event]));
  return {
    leased: leased.map((row) =>
      leasedDelivery(
        { ...known.get(row.event_id)!, ...row, lease_token: row.lease_token! },
        askedAt,
        leaseMs,
      ),
    ),
    left: rows.length - leased.length,
  };
}

/**
 * Columns known before the statement are not read back: the body sent is the one that was committed, the same buffer.
 */
type AcceptedRow = Omit<LeasedDeliveryRow, keyof GivenEvent | "lease_token"> & {
  event_id: string;
  lease_token: string | null;
};

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
 * Stores a message that is not an event, with the reason, for operators. Its owner publishes it again and
 * again; only the first copy is stored.
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
