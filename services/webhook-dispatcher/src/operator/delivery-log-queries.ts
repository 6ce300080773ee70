import {
  WEBHOOK_BODY_SHOWN_BYTES,
  type EventStatus,
  type WebhookDeliveryStatus,
  type WebhookError,
} from "@holdfast/contracts";
import { ofMode } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder, type Selectable } from "kysely";
import type { AttemptTable, Outcome, WebhooksDatabase } from "../database.ts";

/** An event as the delivery log shows it. */
export type LoggedEvent = {
  occurred_at: Date;
  event_id: string;
  event_type: string;
  merchant_id: string;
  endpoint_id: string;
  payment_id: string;
  payment_status: EventStatus;
  outcome: Outcome | null;
  resolved_at: Date | null;
  deadline_at: Date | null;
  next_attempt_at: Date | null;
  /** True while its endpoint is off: it has no next attempt, and is kept as long as its event. */
  is_off: boolean;
  attempt_count: number;
  /** The latest attempt's failure and the status of its answer; null if there is none. */
  last_error: WebhookError | null;
  last_status_code: number | null;
  /** The part of the body that people may read. */
  body: Buffer;
};

export type LogFilter = {
  /** The endpoint; without it each event is shown with its state at its merchant's default endpoint. */
  endpointId?: string | undefined;
  merchantId?: string | undefined;
  /** Undefined for both modes. */
  livemode?: boolean | undefined;
  paymentId?: string | undefined;
  status?: WebhookDeliveryStatus | undefined;
  eventId?: string | undefined;
};

/** A position in the log: event ids are UUIDv7, so the id alone names the time. */
export type LogPosition = { eventId: string };

/** Finds events, newest first, before a position: all of them, or the events of one endpoint. */
export async function findEvents(
  db: Kysely<WebhooksDatabase>,
  filter: LogFilter,
  page: LogPage,
): Promise<LoggedEvent[]> {
  const keys =
    filter.endpointId === undefined
      ? await chooseEvents(db, filter, page)
      : await chooseEventsOf(db, filter.endpointId, filter, page);
  return await readLog(db, keys, filter.endpointId);
}

type EventKey = Pick<LoggedEvent, "occurred_at" | "event_id">;

/**
 * A filter by status decides the plan. `pending` goes through the small table of deliveries, and rare
 * outcomes have an index of their own, so that they are found without reading the delivered ones.
 */
async function chooseEvents(
  db: Kysely<WebhooksDatabase>,
  filter: LogFilter,
  page: LogPage,
): Promise<EventKey[]> {
  const outcome = sql`left join outcome on outcome.occurred_at = event.occurred_at and outcome.event_id = event.event_id
    and outcome.endpoint_id = event.merchant_id`;
  const scheduled = sql`left join delivery as scheduled on scheduled.event_id = event.event_id
    and scheduled.endpoint_id = event.merchant_id and scheduled.trigger = 'schedule'`;
  const narrowing =
    filter.status === undefined
      ? sql``
      : filter.status === "pending"
        ? sql`${outcome} ${scheduled}`
        : outcome;
  const { rows } = await sql<EventKey>`
    select event.occurred_at, event.event_id from event ${narrowing}
    where ${conditions(filter)} and ${isBefore("event", page)}
    order by event.occurred_at desc, event.event_id desc limit ${page.limit}`.execute(db);
  return rows;
}

/** An event has an outcome at an endpoint or is pending there: both are in the order of the events. */
async function chooseEventsOf(
  db: Kysely<WebhooksDatabase>,
  endpointId: string,
  filter: LogFilter,
  page: LogPage,
): Promise<EventKey[]> {
  const { status } = filter;
  const ended = sql`(
    select event.occurred_at, event.event_id from outcome
      join event on event.occurred_at = outcome.occurred_at and event.event_id = outcome.event_id
    where outcome.endpoint_id = ${endpointId} and ${conditions(filter)} and ${isBefore("outcome", page)}
    order by outcome.occurred_at desc, outcome.event_id desc limit ${page.limit})`;
  const pending = sql`(
    select event.occurred_at, event.event_id from delivery as scheduled
      join event on event.occurred_at = scheduled.occurred_at and event.event_id = scheduled.event_id
    where scheduled.endpoint_id = ${endpointId} and scheduled.trigger = 'schedule'
      and ${conditions({ ...filter, status: undefined })} and ${isBefore("scheduled", page)}
    order by scheduled.event_id desc limit ${page.limit})`;
  const chosen = status === "pending" ? pending : status ? ended : sql`${ended} union ${pending}`;
  const { rows } = await sql<EventKey>`
    select occurred_at, event_id from (${chosen}) as chosen
    order by occurred_at desc, event_id desc limit ${page.limit}`.execute(db);
  return rows;
}

/** The outcomes of one event at its merchant's other endpoints that it was for. */
export async function findOtherOutcomes(
  db: Kysely<WebhooksDatabase>,
  { event_id, occurred_at, merchant_id }: Pick<LoggedEvent, "event_id" | "occurred_at" | "merchant_id">,
): Promise<OutcomeAtEndpoint[]> {
  const { rows } = await sql<OutcomeAtEndpoint>`
    select endpoint_id, outcome, resolved_at, null as next_attempt_at from outcome
    where occurred_at = ${occurred_at} and event_id = ${event_id} and endpoint_id <> ${merchant_id}
    union all
    select endpoint_id, null, null, case when state = 'on' then due_at end from delivery join endpoint using (endpoint_id)
    where merchant_id = ${merchant_id} and event_id = ${event_id} and endpoint_id <> merchant_id and trigger = 'schedule'
    order by endpoint_id`.execute(db);
  return rows;
}

export type OutcomeAtEndpoint = Pick<
  LoggedEvent,
  "endpoint_id" | "outcome" | "resolved_at" | "next_attempt_at"
>;

export type LogPage = { limit: number; before: LogPosition | undefined };

function conditions({ merchantId, livemode, paymentId, eventId, status }: LogFilter) {
  const given = [
    merchantId !== undefined && sql`event.merchant_id = ${merchantId}`,
    livemode !== undefined && ofMode("event.merchant_id", livemode),
    paymentId !== undefined && sql`event.payment_id = ${paymentId}`,
    eventId !== undefined &&
      sql`event.event_id = ${eventId} and event.occurred_at = uuid_extract_timestamp(${eventId}::uuid)`,
    status !== undefined && statusCondition(status),
  ].filter((condition) => condition !== false);
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `);
}

function isBefore(table: "event" | "outcome" | "scheduled", { before }: LogPage): RawBuilder<unknown> {
  if (before === undefined) return sql`true`;
  const { eventId } = before;
  return sql`(${sql.ref(`${table}.occurred_at`)}, ${sql.ref(`${table}.event_id`)})
    < (uuid_extract_timestamp(${eventId}::uuid), ${eventId}::uuid)`;
}

function statusCondition(status: WebhookDeliveryStatus): RawBuilder<unknown> {
  return status === "pending"
    ? sql`outcome.outcome is null and scheduled.event_id is not null`
    : sql`outcome.outcome = ${status}`;
}

/**
 * Reads the rows of a log after their events were chosen. Each table has a partition for each day, and a plan
 * with all partitions costs more than the reading itself. The times of the chosen events limit the plan to a
 * few days.
 *
 * Bodies are included: they are in the same rows, and 50 of them have some 50 KB. Only people search for an
 * order number, so it is read from the body (`orderOf`) instead of a column that each acceptance would have
 * to write.
 */
async function readLog(
  db: Kysely<WebhooksDatabase>,
  keys: readonly EventKey[],
  endpointId: string | undefined,
): Promise<LoggedEvent[]> {
  const oldest = keys.at(-1);
  if (oldest === undefined) return [];
  const times = sql`any(${keys.map(({ occurred_at }) => occurred_at)}::timestamptz[])`;
  const endpoint = endpointId === undefined ? sql`event.merchant_id` : sql`${endpointId}::uuid`;
  const { rows } = await sql<LoggedEvent>`
    select event.occurred_at, event.event_id, event.event_type, event.merchant_id, ${endpoint} as endpoint_id,
      event.payment_id, event.status as payment_status, substring(event.body for ${WEBHOOK_BODY_SHOWN_BYTES}::int) as body,
      outcome.outcome, outcome.resolved_at,
      greatest(scheduled.deadline_at, owned.attempts_until) as deadline_at,
      case when owned.state = 'on' then scheduled.due_at end as next_attempt_at,
      scheduled.delivery_id is not null and owned.state in ('waiting', 'skipping') as is_off,
      tried.attempt_count, tried.last_error, tried.last_status_code
    from event
      left join outcome on outcome.occurred_at = event.occurred_at and outcome.event_id = event.event_id
        and outcome.endpoint_id = ${endpoint} and outcome.occurred_at = ${times}
      left join delivery as scheduled on scheduled.event_id = event.event_id and scheduled.endpoint_id = ${endpoint}
        and scheduled.trigger = 'schedule'
      left join endpoint as owned on owned.endpoint_id = scheduled.endpoint_id
      cross join lateral (
        select count(*)::int as attempt_count, (array_agg(error order by sent_at desc, attempt_id))[1] as last_error,
          (array_agg(status_code order by sent_at desc, attempt_id))[1] as last_status_code
        from attempt
        where attempt.event_id = event.event_id and attempt.sent_at >= ${oldest.occurred_at}::timestamptz - interval '1 hour'
          and attempt.endpoint_id = ${endpoint}
      ) as tried
    where event.occurred_at = ${times} and event.event_id = any(${keys.map(({ event_id }) => event_id)}::uuid[])
    order by event.occurred_at desc, event.event_id desc`.execute(db);
  return rows;
}

export async function findAttempts(
  db: Kysely<WebhooksDatabase>,
  { event_id, occurred_at }: Pick<LoggedEvent, "event_id" | "occurred_at">,
): Promise<Selectable<AttemptTable>[]> {
  return await db
    .selectFrom("attempt")
    .selectAll()
    .where("event_id", "=", event_id)
    // This lets the database skip earlier days; the hour allows for clocks that differ.
    .where("sent_at", ">=", new Date(occurred_at.getTime() - 3_600_000))
    .orderBy("sent_at")
    .execute();
}
