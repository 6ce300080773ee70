import type { Pool } from "pg";
import { leasedDelivery, type LeasedDelivery, type LeasedDeliveryRow } from "../delivery/leased-delivery.ts";
import { STORED_ENDPOINT_COLUMNS } from "../endpoint/stored-endpoint.ts";
import type { IncomingEvent } from "./parse-event.ts";

export type AcceptOptions = { leaseMs: number; windowMs: number; shiftMs: number };

/** An event with whether its delivery may be leased at once. */
export type EventToAccept = { event: IncomingEvent; lease: boolean };

/**
 * Takes events over, in one statement and so in one transaction: the event, and its delivery, leased where there is
 * room for it. Whether a merchant has webhooks is asked of the table in the same moment, never of a cache: the first
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
  const column = <Value>(value: (event: IncomingEvent) => Value) => events.map(({ event }) => value(event));
  const { rows } = await pool.query<LeasedDeliveryRow | { [Name in keyof LeasedDeliveryRow]: null }>({
    name: "accept-events",
    text: ACCEPT,
    values: [
      column(({ eventId }) => eventId),
      column(({ source }) => source),
      column(({ eventType }) => eventType),
      column(({ merchantId }) => merchantId),
      column(({ paymentId }) => paymentId),
      column(({ status }) => status),
      column(({ body }) => body),
      column(({ traceparent }) => traceparent),
      events.map(({ lease }) => lease),
      leaseMs,
      windowMs,
      shiftMs,
    ],
  });
  const leased = rows.filter((row): row is LeasedDeliveryRow => row.lease_token !== null);
  return {
    leased: leased.map((row) => leasedDelivery(row, askedAt, leaseMs)),
    left: rows.length - leased.length,
  };
}

const NOW = "(now() + $12::float8 * interval '1 millisecond')";
const MS = "interval '1 millisecond'";

const ACCEPT = `
  with given as (
    select distinct on (event_id) *, uuid_extract_timestamp(event_id) as occurred_at
    from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::bytea[], $8::text[], $9::boolean[])
      as given(event_id, source, event_type, merchant_id, payment_id, status, body, traceparent, lease)
    order by event_id, lease desc
  ), accepted as (
    insert into event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body, traceparent, accepted_at)
    select occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body, traceparent, ${NOW} from given
    on conflict (occurred_at, event_id) do nothing
    returning occurred_at, event_id, merchant_id
  ), skipped as (
    insert into outcome (occurred_at, event_id, outcome, resolved_at)
    select occurred_at, event_id, 'skipped', ${NOW} from accepted
    where not exists (select from endpoint where endpoint.merchant_id = accepted.merchant_id and enabled)
  ), due as (
    insert into delivery (event_id, occurred_at, merchant_id, due_at, deadline_at, lease_token, lease_until)
    select accepted.event_id, accepted.occurred_at, accepted.merchant_id, ${NOW}, accepted.occurred_at + $11::float8 * ${MS},
      case when given.lease then gen_random_uuid() end, case when given.lease then ${NOW} + $10::float8 * ${MS} end
    from accepted join given using (event_id) join endpoint on endpoint.merchant_id = accepted.merchant_id
    where endpoint.enabled
    returning *
  )
  select due.delivery_id, due.lease_token, due.event_id, given.event_type, due.occurred_at, due.merchant_id, given.payment_id,
    given.status, given.body, given.traceparent, due.trigger, due.attempt, due.due_at, due.deadline_at, ${STORED_ENDPOINT_COLUMNS}
  from due join given using (event_id) join endpoint on endpoint.merchant_id = due.merchant_id`;

/** What is no event is kept with its reason, for people to look at. */
export async function keepPoison(
  pool: Pool,
  {
    subject,
    sequence,
    reason,
    data,
  }: { subject: string; sequence: number; reason: string; data: Uint8Array },
): Promise<void> {
  await pool.query("insert into poison (subject, sequence, reason, data) values ($1, $2, $3, $4)", [
    subject,
    sequence,
    reason.slice(0, REASON_MAX),
    Buffer.from(data),
  ]);
}

const REASON_MAX = 2_000;
