import type { WebhookError } from "@holdfast/contracts";
import { unnested } from "@holdfast/postgres";
import type { Trigger } from "../database.ts";

/** An attempt that was made, and its consequences. */
export type AttemptRecord = {
  attempt_id: string;
  delivery_id: string;
  lease_token: string;
  endpoint_id: string;
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
  /** The time of the next attempt; null if there is none. */
  retry_at: Date | null;
};

/** Columns of the statement's arrays, in the order of its parameters. */
export const RECORD_COLUMNS = [
  ["attempt_id", "uuid"],
  ["delivery_id", "uuid"],
  ["lease_token", "uuid"],
  ["endpoint_id", "uuid"],
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

const LOGGED = RECORD_COLUMNS.map(([column]) => column)
  .filter((column) => !["delivery_id", "lease_token", "occurred_at", "retry_at"].includes(column))
  .join(", ");

/**
 * Records the results of attempts. A success always wins: it ends the delivery and the event's schedule under
 * any lease. A failure counts only under the current lease, because another process may have the delivery
 * now.
 *
 * Attempts are counted by the hour as they are inserted, so that a record that is written again counts once.
 * PostgreSQL runs the last of several unread parts first, so these rows, which other batches change too, are
 * locked last.
 *
 * Outcomes are locked in order, too: two processes may record results of the same events.
 *
 * An event has one scheduled delivery to an endpoint, so only a manual resend can end another delivery than
 * its own. That delivery is looked up for each resend, and `offset 0` forces this plan. A plan that was made
 * while nothing waited compared each result with every waiting delivery (docs/adr/0003).
 */
export const RECORD = {
  name: "record-results",
  text: `
  with given as (
    select * from ${unnested(RECORD_COLUMNS, 1)}
  ), logged as (
    insert into attempt (${LOGGED}) select ${LOGGED} from given on conflict do nothing
    returning endpoint_id, sent_at, error, duration_ms
  ), counted as (
    insert into endpoint_hour as known (endpoint_id, hour, result, duration_bucket, count)
    select endpoint_id, date_trunc('hour', sent_at, 'UTC') as hour, coalesce(error, 'answered') as result,
      ceil(4 * ln(greatest(duration_ms, 1)::float8) / ln(2::float8))::smallint as duration_bucket, count(*)
    from logged group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (endpoint_id, hour, result, duration_bucket) do update set count = known.count + excluded.count
  ), ended as (
    delete from delivery using given
    where delivery.delivery_id = given.delivery_id
      and (given.succeeded or (given.retry_at is null and delivery.lease_token = given.lease_token))
    returning delivery.occurred_at, delivery.event_id, delivery.endpoint_id, delivery.trigger,
      given.succeeded, given.sent_at, given.duration_ms
  ), schedule_ended as (
    delete from delivery where delivery_id in (
      select scheduled.delivery_id
      from given cross join lateral (
        select delivery_id from delivery
        where delivery.event_id = given.event_id and delivery.endpoint_id = given.endpoint_id and trigger = 'schedule'
        offset 0
      ) as scheduled
      where given.succeeded and given.trigger = 'manual')
  ), postponed as (
    update delivery
    set attempt = attempt + 1, due_at = given.retry_at, lease_token = null, lease_until = null
    from given
    where not given.succeeded and given.retry_at is not null
      and delivery.delivery_id = given.delivery_id and delivery.lease_token = given.lease_token
  ), resolved as (
    select occurred_at, event_id, endpoint_id,
      case when bool_or(succeeded) then 'delivered' else 'failed' end as outcome, max(ended_at) as resolved_at
    from (
      select occurred_at, event_id, endpoint_id, succeeded,
        sent_at + duration_ms * interval '1 millisecond' as ended_at
      from given where succeeded
      union all
      select occurred_at, event_id, endpoint_id, succeeded,
        sent_at + duration_ms * interval '1 millisecond'
      from ended where trigger = 'schedule'
    ) as result
    group by occurred_at, event_id, endpoint_id
  )
  insert into outcome (endpoint_id, occurred_at, event_id, outcome, resolved_at)
  select endpoint_id, occurred_at, event_id, outcome, resolved_at from resolved
  order by endpoint_id, occurred_at, event_id
  on conflict (endpoint_id, occurred_at, event_id) do update
    set outcome = excluded.outcome, resolved_at = excluded.resolved_at
    where excluded.outcome = 'delivered' and outcome.outcome <> 'delivered'`,
};
