import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "./business-events.ts";
import type { WebhooksDatabase } from "./database.ts";

/**
 * Creates the partitions of the coming days, and drops those that are past retention and have no pending
 * delivery. Deliveries whose event is gone nevertheless (after a restore, or by hand) are ended.
 */
export async function maintainPartitions(
  db: Kysely<WebhooksDatabase>,
  { eventDays, attemptDays, events }: { eventDays: number; attemptDays: number; events: BusinessEvents },
): Promise<void> {
  await sql`select make_partitions(${DAYS_AHEAD})`.execute(db);
  await sql`select drop_partitions(${eventDays}, ${attemptDays})`.execute(db);
  await purgeHours(db, attemptDays);
  const orphans = await endOrphans(db);
  if (orphans > 0) events.orphansEnded(orphans);
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from event_default) + (select count(*) from outcome_default)
      + (select count(*) from attempt_default))::int as count`.execute(db);
  const inDefault = rows[0]!.count;
  if (inDefault > 0) events.defaultPartitionUsed(inDefault);
}

const DAYS_AHEAD = 7;

/**
 * An hour adds a row for each combination of endpoint, result and duration, so one batch would not be enough.
 */
async function purgeHours(db: Kysely<WebhooksDatabase>, attemptDays: number): Promise<void> {
  for (let run = 0, isMore = true; isMore && run < PURGES_MAX; run++) {
    const { rows } = await sql<{ more: boolean }>`select purge_hours(${attemptDays}) as more`.execute(db);
    isMore = rows[0]!.more;
  }
}

/** A million rows; the next round takes the rest. */
const PURGES_MAX = 100;

/** Ends deliveries without an event. Younger days are never dropped, so it skips them. @returns their number. */
async function endOrphans(db: Kysely<WebhooksDatabase>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from delivery
    where occurred_at < now() - interval '3 days' and lease_token is null and not exists (
      select from event
      where event.occurred_at = delivery.occurred_at and event.event_id = delivery.event_id)`.execute(db);
  return Number(numAffectedRows);
}
