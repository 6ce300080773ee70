import type { EventStatus, WebhookDeliveryStatus } from "@holdfast/contracts";
import { ofMode } from "@holdfast/service-runtime";
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
  attempt_count: number;
  body_prefix: Buffer;
};

export type LogFilter = {
  merchantId?: string | undefined;
  /** Undefined for both modes. */
  livemode?: boolean | undefined;
  paymentId?: string | undefined;
  status?: WebhookDeliveryStatus | undefined;
  eventId?: string | undefined;
};

/** A position in the log: event ids are UUIDv7, so the id alone names the time. */
export type LogPosition = { eventId: string };

/**
 * Finds the events of the default endpoints, newest first, before a position. A filter by status decides the plan:
 * `pending` goes through the small table of deliveries and the others but `delivered` through an index of their own, so
 * that rare events are found without reading the common ones.
 */
export async function findEvents(
  db: Kysely<WebhooksDatabase>,
  filter: LogFilter,
  page: LogPage,
): Promise<LoggedEvent[]> {
  const scheduled = sql`
    left join delivery as scheduled on scheduled.event_id = event.event_id and scheduled.trigger = 'schedule'`;
  const outcome = sql`left join outcome using (occurred_at, event_id)`;
  const narrowing =
    filter.status === undefined
      ? sql``
      : filter.status === "pending"
        ? sql`${outcome} ${scheduled}`
        : outcome;
  const keys = await chooseEvents(
    db,
    sql`from event ${narrowing}
      where ${conditions(filter, page)}
      order by event.occurred_at desc, event.event_id desc limit ${page.limit}`,
  );
  return await readLog(db, keys, {
    endpointId: sql`event.merchant_id`,
    from: (times) => sql`from event
      left join outcome on outcome.occurred_at = event.occurred_at and outcome.event_id = event.event_id
        and outcome.occurred_at = any(${times}::timestamptz[])
      ${scheduled}
      where true`,
  });
}

/** The same of one further endpoint: the events that it wants, or that were sent there by hand. */
export async function findEventsOfFurther(
  db: Kysely<WebhooksDatabase>,
  endpointId: string,
  filter: LogFilter,
  page: LogPage,
): Promise<LoggedEvent[]> {
  const from = sql`
    from further_outcome as outcome
      join event on event.occurred_at = outcome.occurred_at and event.event_id = outcome.event_id
      left join further_delivery as scheduled on scheduled.event_id = event.event_id
        and scheduled.endpoint_id = outcome.endpoint_id and scheduled.trigger = 'schedule'
    where outcome.endpoint_id = ${endpointId}`;
  const keys = await chooseEvents(
    db,
    sql`${from} and ${conditions(filter, page)}
      order by outcome.occurred_at desc, outcome.event_id desc limit ${page.limit}`,
  );
  return await readLog(db, keys, {
    endpointId: sql`outcome.endpoint_id`,
    from: (times) => sql`${from} and outcome.occurred_at = any(${times}::timestamptz[])`,
  });
}

/** What became of one event at its merchant's further endpoints. */
export async function findFurtherOutcomes(
  db: Kysely<WebhooksDatabase>,
  { event_id, occurred_at }: Pick<LoggedEvent, "event_id" | "occurred_at">,
): Promise<FurtherOutcome[]> {
  return await db
    .selectFrom("further_outcome")
    .leftJoin("further_delivery as scheduled", (join) =>
      join
        .onRef("scheduled.event_id", "=", "further_outcome.event_id")
        .onRef("scheduled.endpoint_id", "=", "further_outcome.endpoint_id")
        .on("scheduled.trigger", "=", "schedule"),
    )
    .select(["further_outcome.endpoint_id", "outcome", "resolved_at", "due_at as next_attempt_at"])
    .where("further_outcome.occurred_at", "=", occurred_at)
    .where("further_outcome.event_id", "=", event_id)
    .orderBy("further_outcome.endpoint_id")
    .execute();
}

export type FurtherOutcome = Pick<LoggedEvent, "endpoint_id" | "outcome" | "resolved_at" | "next_attempt_at">;

type LogPage = { limit: number; before: LogPosition | undefined };

function conditions({ merchantId, livemode, paymentId, eventId, status }: LogFilter, { before }: LogPage) {
  const given = [
    merchantId !== undefined && sql`event.merchant_id = ${merchantId}`,
    livemode !== undefined && ofMode("event.merchant_id", livemode),
    paymentId !== undefined && sql`event.payment_id = ${paymentId}`,
    eventId !== undefined &&
      sql`event.event_id = ${eventId} and event.occurred_at = uuid_extract_timestamp(${eventId}::uuid)`,
    before !== undefined &&
      sql`(event.occurred_at, event.event_id) < (uuid_extract_timestamp(${before.eventId}::uuid), ${before.eventId}::uuid)`,
    status !== undefined && statusCondition(status),
  ].filter((condition) => condition !== false);
  return given.length === 0 ? sql`true` : sql.join(given, sql` and `);
}

function statusCondition(status: WebhookDeliveryStatus): RawBuilder<unknown> {
  return status === "pending"
    ? sql`outcome.outcome is null and scheduled.event_id is not null`
    : sql`outcome.outcome = ${status}`;
}

type EventKey = Pick<LoggedEvent, "occurred_at" | "event_id">;

async function chooseEvents(db: Kysely<WebhooksDatabase>, chosen: RawBuilder<unknown>): Promise<EventKey[]> {
  const { rows } = await sql<EventKey>`select event.occurred_at, event.event_id ${chosen}`.execute(db);
  return rows;
}

/**
 * The rows of a log with what they cost only once they are chosen. Each table has a partition for each day, and a plan that
 * has all of them costs more than all that is read: with the times of the chosen events it has the few days that they are of.
 *
 * @param from the tables with a condition, where each that is partitioned by the event's time is narrowed to `times`
 */
async function readLog(
  db: Kysely<WebhooksDatabase>,
  keys: readonly EventKey[],
  { endpointId, from }: { endpointId: RawBuilder<unknown>; from: (times: Date[]) => RawBuilder<unknown> },
): Promise<LoggedEvent[]> {
  const oldest = keys.at(-1);
  if (oldest === undefined) return [];
  const times = keys.map(({ occurred_at }) => occurred_at);
  const { rows } = await sql<LoggedEvent>`
    select event.occurred_at, event.event_id, event.event_type, event.merchant_id, ${endpointId} as endpoint_id,
      event.payment_id, event.status as payment_status, substring(event.body for ${SIGNED_PREFIX_BYTES}::int) as body_prefix,
      outcome.outcome, outcome.resolved_at, scheduled.deadline_at, scheduled.due_at as next_attempt_at,
      (select count(*)::int from attempt
       where attempt.event_id = event.event_id and attempt.sent_at >= ${oldest.occurred_at}::timestamptz - interval '1 hour'
         and coalesce(attempt.endpoint_id, event.merchant_id) = ${endpointId}) as attempt_count
    ${from(times)}
      and event.occurred_at = any(${times}::timestamptz[])
      and event.event_id = any(${keys.map(({ event_id }) => event_id)}::uuid[])
    order by event.occurred_at desc, event.event_id desc`.execute(db);
  return rows;
}

/** The log shows this much of the body, which is the signed string's second part. */
const SIGNED_PREFIX_BYTES = 32;

export async function findAttempts(
  db: Kysely<WebhooksDatabase>,
  { event_id, occurred_at }: Pick<LoggedEvent, "event_id" | "occurred_at">,
): Promise<Selectable<AttemptTable>[]> {
  return await db
    .selectFrom("attempt")
    .selectAll()
    .where("event_id", "=", event_id)
    // This lets the database skip the days before; the hour allows for clocks that differ.
    .where("sent_at", ">=", new Date(occurred_at.getTime() - 3_600_000))
    .orderBy("sent_at")
    .execute();
}
