import { eventStreamConfig } from "@holdfast/outbox";
import { sql, type RawBuilder } from "kysely";
import { withRole } from "../database/with-role.ts";
import type { Trx } from "./erase-customer.ts";

/** A reason why a person cannot be erased yet. `ids` are a few of the records that the sentence is about. */
export type Obstacle = { why: string; ids: string[] };

/** The rows that are erased together: payments, their refunds, and the events of both that the dispatcher has. */
export type Scope = {
  /** For checkouts their own ids: an event about a checkout has the checkout's id in place of a payment's. */
  paymentIds: string[];
  refundIds: string[];
  knownEventIds: string[];
};

/** Finds payments among these, and refunds and events of theirs, that must not be changed yet. */
export async function findObstacles(trx: Trx, scope: Scope): Promise<Obstacle[]> {
  const { paymentIds, refundIds } = scope;
  await withRole(trx, "payments");
  const obstacles = [
    await obstacle(
      trx,
      "payments are not settled",
      sql`select payment_id as id from payment
        where payment_id = any(${paymentIds}) and (recover_at is not null or operation_id is not null
          or exists (select from payment_resolution as proposed where proposed.payment_id = payment.payment_id)
          or exists (select from payment_watch as watch
            where watch.payment_id = payment.payment_id and ended_at is null))`,
    ),
    await obstacle(
      trx,
      "refunds have reserved an amount",
      sql`select refund_id as id from refund_reservation
        where payment_id = any(${paymentIds}) and state = 'ACTIVE'`,
    ),
    await obstacle(
      trx,
      "chargebacks are open",
      sql`select chargeback_id as id from chargeback where payment_id = any(${paymentIds}) and status = 'OPEN'`,
    ),
    youngEvents(await eventsOf(trx, "payment", scope)),
  ];
  await withRole(trx, "refunds");
  obstacles.push(
    await obstacle(
      trx,
      "refunds are not decided, or not carried out",
      sql`select refund_id as id from refund
        where refund_id = any(${refundIds}) and state not in ('SUCCESS', 'FAILED', 'REJECTED')`,
    ),
    youngEvents(await eventsOf(trx, "refund", scope)),
  );
  obstacles.push(await undelivered(trx, scope));
  return obstacles.filter((each) => each !== undefined);
}

export async function undelivered(trx: Trx, { knownEventIds }: Scope): Promise<Obstacle | undefined> {
  await withRole(trx, "webhooks");
  return await obstacle(
    trx,
    "webhooks are not delivered",
    sql`select event_id as id from delivery where event_id = any(${knownEventIds})`,
  );
}

/** The refunds of these payments, and the events of all of them. */
export async function scopeOf(trx: Trx, paymentIds: string[]): Promise<Scope> {
  await withRole(trx, "refunds");
  const { rows: refunds } = await sql<{ id: string }>`
    select refund_id as id from refund where payment_id = any(${paymentIds})`.execute(trx);
  const refundIds = refunds.map(({ id }) => id);
  await withRole(trx, "webhooks");
  const { rows: events } = await sql<{ id: string }>`
    select event_id as id from event where payment_id = any(${[...paymentIds, ...refundIds]})`.execute(trx);
  return { paymentIds, refundIds, knownEventIds: events.map(({ id }) => id) };
}

type Event = { event_id: string; is_young: boolean };

/** The subject of an outbox's rows. */
export type EventSubject = "payment" | "refund" | "checkout";

/**
 * The events of payments, refunds or checkouts in the current schema's outbox: by id for events that the
 * dispatcher has, and by time for all others. A row of the outbox was written by the transaction of a step of
 * the history, of a checkout's end, or of an audit line about a chargeback, and its id begins with the time.
 */
export async function eventsOf(
  trx: Trx,
  of: EventSubject,
  { paymentIds, refundIds, knownEventIds }: Scope,
): Promise<Event[]> {
  const ids = of === "refund" ? refundIds : paymentIds;
  const { rows } = await sql<Event>`
    select event_id, confirmed_at is null
      or confirmed_at > now() - ${STREAMED_MS} * interval '1 millisecond' as is_young
    from outbox where event_id = any(${knownEventIds}) or event_id = any(array(
      select event_id from ${STEPS[of]} as step cross join lateral (
        select event_id, payment_id from outbox
        where event_id >= ${firstIdAt(sql`step.at - interval '5 seconds'`)}
          and event_id < ${firstIdAt(sql`step.at + interval '30 seconds'`)}
      ) as event
      where step.id = any(${ids}) and event.payment_id = step.id))`.execute(trx);
  return rows;
}

const STEPS: Record<EventSubject, RawBuilder<unknown>> = {
  // A case that was lost, and is given back later, has but the later end: its steps are in the audit log.
  payment: sql`(
    select payment_id as id, at from payment_history union all
    select payment_id, at from chargeback join audit_entry on subject = chargeback_id::text)`,
  refund: sql`(select refund_id as id, at from refund_history)`,
  checkout: sql`(select checkout_id as id, closed_at as at from checkout)`,
};

/** The lowest UUIDv7 of a millisecond. */
function firstIdAt(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql`(lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`;
}

const NANOSECONDS = 1_000_000;
const HOUR_MS = 3_600_000;
/** The time for which the event stream keeps its unchangeable copy, with an hour more for clocks and work under way. */
const STREAMED_MS = eventStreamConfig({ replicas: 1, bytesMax: 0 }).max_age / NANOSECONDS + HOUR_MS;

export function youngEvents(events: Event[]): Obstacle | undefined {
  return found(
    `events are not confirmed, or were within the last ${STREAMED_MS / HOUR_MS} hours and are in the event stream`,
    events.filter(({ is_young }) => is_young).map(({ event_id }) => event_id),
  );
}

export async function obstacle(
  trx: Trx,
  why: string,
  query: RawBuilder<unknown>,
): Promise<Obstacle | undefined> {
  const { rows } = await sql<{ id: string }>`select id from (${query}) as these limit ${SHOWN_MAX}`.execute(
    trx,
  );
  return found(
    why,
    rows.map(({ id }) => id),
  );
}

function found(why: string, ids: string[]): Obstacle | undefined {
  return ids.length === 0 ? undefined : { why, ids: ids.slice(0, SHOWN_MAX) };
}

const SHOWN_MAX = 10;
