import { sql, type Kysely } from "kysely";
import type { BusinessEvents, QueueMeasure } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";

/** Measures how many refunds wait for operators and for the bank, and the age of the oldest, for metrics and alerts. */
export async function measureQueue({
  db,
  events,
}: {
  db: Kysely<RefundsDatabase>;
  events: BusinessEvents;
}): Promise<QueueMeasure> {
  const { rows } = await sql<{ waits: keyof QueueMeasure; count: number; oldest_s: number }>`
    select case state when 'PENDING_APPROVAL' then 'approval' else 'bank' end as waits,
      count(*)::int as count,
      extract(epoch from now() - min(state_since))::float8 as oldest_s
    from refund where state in ('PENDING_APPROVAL', 'EXECUTING') group by state`.execute(db);
  const measure: QueueMeasure = {
    approval: { count: 0, oldestSeconds: 0 },
    bank: { count: 0, oldestSeconds: 0 },
  };
  for (const { waits, count, oldest_s } of rows) measure[waits] = { count, oldestSeconds: oldest_s };
  events.queueMeasured(measure);
  return measure;
}
