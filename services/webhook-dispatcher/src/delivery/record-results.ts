import type { WebhookError } from "@holdfast/contracts";
import { createNaturalBatcher, failpoint, type NaturalBatcher } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import type { Trigger } from "../database.ts";

/** One attempt that was made, and what follows from it. */
export type AttemptRecord = {
  attempt_id: string;
  delivery_id: string;
  lease_token: string;
  event_id: string;
  occurred_at: Date;
  trigger: Trigger;
  number: number | null;
  planned_at: Date;
  sent_at: Date;
  request_time: string;
  succeeded: boolean;
  status_code: number | null;
  error: WebhookError | null;
  duration_ms: number;
  remote_address: string | null;
  snippet: string | null;
  body_hash: Buffer;
  secret_version: number;
  next_version: number | null;
  /** When the next attempt is due; null when there is none. */
  retry_at: Date | null;
};

/**
 * Writes attempts down, those that end together in one statement. Its pool commits without waiting for the disk: what a
 * crash of the database takes away is sent once more, which receivers have to bear anyway.
 */
export function createResultRecorder(pool: Pool): NaturalBatcher<AttemptRecord, void> {
  return createNaturalBatcher<AttemptRecord, void>({
    sizeMax: 100,
    flushesMax: 2,
    lingerMs: 10,
    isolates: () => false,
    async flush(records) {
      await failpoint("webhooks.in_result_batch");
      await recordResults(pool, records);
      return records.map(() => undefined);
    },
  });
}

/** May be repeated: attempts are known by their ids, and what a record asks for is the same whenever it is done. */
export async function recordResults(pool: Pool, records: AttemptRecord[]): Promise<void> {
  await pool.query({
    name: "record-results",
    text: RECORD,
    values: COLUMNS.map(([column]) => records.map((record) => record[column])),
  });
}

const COLUMNS = [
  ["attempt_id", "uuid"],
  ["delivery_id", "uuid"],
  ["lease_token", "uuid"],
  ["event_id", "uuid"],
  ["occurred_at", "timestamptz"],
  ["trigger", "text"],
  ["number", "smallint"],
  ["planned_at", "timestamptz"],
  ["sent_at", "timestamptz"],
  ["request_time", "bigint"],
  ["succeeded", "boolean"],
  ["status_code", "smallint"],
  ["error", "text"],
  ["duration_ms", "integer"],
  ["remote_address", "text"],
  ["snippet", "text"],
  ["body_hash", "bytea"],
  ["secret_version", "integer"],
  ["next_version", "integer"],
  ["retry_at", "timestamptz"],
] as const satisfies [keyof AttemptRecord, string][];

const LOGGED = COLUMNS.map(([column]) => column).filter(
  (column) => !["delivery_id", "lease_token", "occurred_at", "retry_at"].includes(column),
);

/**
 * A success always wins: it ends the delivery and the event's schedule whoever holds the lease. A failure counts only
 * under the current lease: whoever has taken the delivery over knows better.
 */
const RECORD = `
  with given as (
    select * from unnest(${COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ")})
      as given(${COLUMNS.map(([column]) => column).join(", ")})
  ), logged as (
    insert into attempt (${LOGGED.join(", ")}) select ${LOGGED.join(", ")} from given on conflict do nothing
  ), ended as (
    delete from delivery using given
    where delivery.delivery_id = given.delivery_id
      and (given.succeeded or (given.retry_at is null and delivery.lease_token = given.lease_token))
    returning delivery.occurred_at, delivery.event_id, delivery.trigger
  ), schedule_ended as (
    delete from delivery using given
    where given.succeeded and delivery.event_id = given.event_id and delivery.trigger = 'schedule'
      and delivery.delivery_id <> given.delivery_id
  ), postponed as (
    update delivery set attempt = attempt + 1, due_at = given.retry_at, lease_token = null, lease_until = null
    from given
    where not given.succeeded and given.retry_at is not null
      and delivery.delivery_id = given.delivery_id and delivery.lease_token = given.lease_token
  )
  insert into outcome (occurred_at, event_id, outcome, resolved_at)
  select occurred_at, event_id, case when bool_or(succeeded) then 'delivered' else 'failed' end, max(ended_at)
  from (
    select occurred_at, event_id, succeeded, sent_at + duration_ms * interval '1 millisecond' as ended_at
    from given where succeeded
    union all
    select ended.occurred_at, ended.event_id, given.succeeded,
      given.sent_at + given.duration_ms * interval '1 millisecond'
    from ended join given using (event_id) where ended.trigger = 'schedule'
  ) as resolved
  group by occurred_at, event_id
  on conflict (occurred_at, event_id) do update
    set outcome = excluded.outcome, resolved_at = excluded.resolved_at
    where excluded.outcome = 'delivered' and outcome.outcome <> 'delivered'`;
