import type { FinalStatus } from "@holdfast/contracts";
import { firstIdAt } from "@holdfast/postgres";
import type { Pool } from "pg";

/**
 * A committed event that was claimed for publishing, or written as claimed. `publish_attempts` counts this time; a time
 * that failed is not counted.
 */
export type ClaimedEvent = {
  event_id: string;
  event_type: string;
  merchant_id: string;
  payment_id: string;
  status: FinalStatus;
  body: Buffer;
  traceparent: string | null;
  publish_attempts: number;
};

/**
 * @property fresh the most events that were never published.
 * @property unconfirmed the most that were published, or written as claimed, and not confirmed in time.
 */
export type ClaimOptions = { fresh: number; unconfirmed: number; republishAfterMs: number };

/**
 * Claims the oldest events that are due; any number of relays may claim side by side. A claim is not a lease:
 * an event that its relay fails to publish becomes due again like every unconfirmed event.
 */
export async function claimDue(pool: Pool, options: ClaimOptions): Promise<ClaimedEvent[]> {
  const { rows } = await pool.query<ClaimedEvent>({
    name: "claim-due-events",
    text: `
      with fresh as (
        select event_id from outbox
        where confirmed_at is null and publish_attempts = 0
        order by event_id limit $1 for update skip locked
      ), unconfirmed as (
        select event_id from outbox
        where confirmed_at is null and publish_attempts > 0 and publish_at <= now()
        order by publish_at limit $2 for update skip locked
      )
      update outbox set
        publish_attempts = publish_attempts + 1,
        publish_at = now() + $3 * power(2, least(publish_attempts, ${DOUBLINGS_MAX})) * interval '1 millisecond'
      where event_id in (select event_id from fresh union all select event_id from unconfirmed)
      returning event_id, event_type, merchant_id, payment_id, status, body, traceparent, publish_attempts`,
    values: [options.fresh, options.unconfirmed, options.republishAfterMs],
  });
  return rows;
}

/** The wait doubles each time, up to some 17 hours with the default of a minute. */
const DOUBLINGS_MAX = 10;

/**
 * Reverts the claim of events whose publishing failed: they are due again soon, and the next copy waits as if
 * the failure had not happened. The next attempt has the same number, and so the same message id: if the
 * failed one did arrive, the stream drops the second copy.
 *
 * A row that another process has claimed or confirmed in the meantime is left unchanged.
 */
export async function unclaim(pool: Pool, events: ClaimedEvent[], dueAfterMs: number): Promise<void> {
  await pool.query(
    `update outbox set publish_attempts = outbox.publish_attempts - 1,
       publish_at = now() + $3 * interval '1 millisecond'
     from unnest($1::uuid[], $2::int[]) as failed(event_id, publish_attempts)
     where outbox.event_id = failed.event_id and outbox.publish_attempts = failed.publish_attempts
       and confirmed_at is null`,
    [
      events.map(({ event_id }) => event_id),
      events.map(({ publish_attempts }) => publish_attempts),
      dueAfterMs,
    ],
  );
}

/** Closes the rows. @returns the number of open ones. */
export async function confirm(pool: Pool, eventIds: string[]): Promise<number> {
  const { rowCount } = await pool.query({
    name: "confirm-events",
    text: "update outbox set confirmed_at = now() where event_id = any($1::uuid[]) and confirmed_at is null",
    values: [eventIds],
  });
  return rowCount ?? 0;
}

/** Opens confirmed rows again, due immediately. @returns the number of closed ones. */
export async function reopen(pool: Pick<Pool, "query">, eventIds: string[]): Promise<number> {
  const { rowCount } = await pool.query(
    `update outbox set confirmed_at = null, publish_attempts = greatest(publish_attempts, 1), publish_at = now()
     where event_id = any($1::uuid[]) and confirmed_at is not null`,
    [eventIds],
  );
  return rowCount ?? 0;
}

/** A page of the confirmed events of a period, in the order of their ids, which begin with the time. */
export async function findConfirmed(
  pool: Pick<Pool, "query">,
  { from, to, after, limit }: { from: Date; to: Date; after: string | undefined; limit: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ event_id: string }>(
    `select event_id from outbox
     where event_id > $1 and event_id < $2 and confirmed_at is not null
     order by event_id limit $3`,
    [after ?? firstIdAt(from.getTime()), firstIdAt(to.getTime()), limit],
  );
  return rows.map(({ event_id }) => event_id);
}

/**
 * Counts the open events and returns the age of the oldest one. The two halves are the conditions of the two
 * partial indexes: with `confirmed_at is null` alone neither index is used, and all events ever published are
 * read.
 */
export async function measureBacklog(pool: Pool): Promise<{ unconfirmed: number; oldestAgeMs: number }> {
  const { rows } = await pool.query<{ unconfirmed: number; oldest_age_ms: number }>(MEASURE_BACKLOG);
  return { unconfirmed: rows[0]!.unconfirmed, oldestAgeMs: rows[0]!.oldest_age_ms };
}

export const MEASURE_BACKLOG = `
  select count(*)::int as unconfirmed,
    coalesce(extract(epoch from now() - min(occurred_at)) * 1000, 0)::float8 as oldest_age_ms
  from (
    select occurred_at from outbox where confirmed_at is null and publish_attempts = 0
    union all
    select occurred_at from outbox where confirmed_at is null and publish_attempts > 0
  ) as open`;
