import type { Pool } from "pg";
import type { BusinessEvents } from "./business-events.ts";

/** Makes the partitions of the days to come and drops those that are past their time. */
export async function keepPartitions(
  pool: Pool,
  { eventDays, attemptDays, events }: { eventDays: number; attemptDays: number; events: BusinessEvents },
): Promise<void> {
  await pool.query("select make_partitions($1)", [DAYS_AHEAD]);
  await pool.query("select drop_partitions($1, $2)", [eventDays, attemptDays]);
  const { rows } = await pool.query<{ count: number }>(
    `select ((select count(*) from event_default) + (select count(*) from outcome_default)
       + (select count(*) from attempt_default))::int as count`,
  );
  const inDefault = rows[0]!.count;
  if (inDefault > 0) events.defaultPartitionUsed(inDefault);
}

const DAYS_AHEAD = 7;
