import { ofMode } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { BusinessEvents, QueueMeasure } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";

/**
 * Measures, for metrics and alerts, how many refunds wait for operators, for the bank, for the end of its
 * day, and for `payments`, and the age of the oldest. It counts live mode only. A refund that the bank pays
 * only after its business day is no alarm. It reads pending refunds by the queue's index, and none that have
 * ended.
 */
export async function measureQueue({
  db,
  events,
}: {
  db: Kysely<RefundsDatabase>;
  events: Pick<BusinessEvents, "queueMeasured">;
}): Promise<QueueMeasure> {
  const { rows } = await sql<{ waits: keyof QueueMeasure; count: number; oldest_s: number }>`
    select case when state = 'PENDING_APPROVAL' then 'approval'
        when state <> 'EXECUTING' then 'payments'
        when last_inquiry = 'day_not_ended' and recover_at > now() then 'day_end'
        else 'bank' end as waits,
      count(*)::int as count,
      extract(epoch from now() - min(state_since))::float8 as oldest_s
    from refund where state in ('PENDING_APPROVAL', 'EXECUTING', 'SETTLING', 'FAILING', 'REJECTING')
      and ${ofMode("merchant_id", true)}
    group by waits`.execute(db);
  const none = { count: 0, oldestSeconds: 0 };
  const measure: QueueMeasure = { approval: none, bank: none, day_end: none, payments: none };
  for (const { waits, count, oldest_s } of rows) measure[waits] = { count, oldestSeconds: oldest_s };
  events.queueMeasured(measure);
  return measure;
}
