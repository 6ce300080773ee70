import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "./business-events.ts";
import type { WebhooksDatabase } from "./database.ts";

/** Creates the partitions of the coming days and drops those that are past retention. */
export async function keepPartitions(
  db: Kysely<WebhooksDatabase>,
  { eventDays, attemptDays, events }: { eventDays: number; attemptDays: number; events: BusinessEvents },
): Promise<void> {
  await sql`select make_partitions(${DAYS_AHEAD})`.execute(db);
  await sql`select drop_partitions(${eventDays}, ${attemptDays})`.execute(db);
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from event_default) + (select count(*) from outcome_default)
      + (select count(*) from attempt_default))::int as count`.execute(db);
  const inDefault = rows[0]!.count;
  if (inDefault > 0) events.defaultPartitionUsed(inDefault);
}

const DAYS_AHEAD = 7;
