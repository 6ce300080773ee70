import { ofMode } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { BusinessEvents, UnresolvedMeasure } from "../../payment/business-events.ts";
import type { PaymentsDatabase } from "../../database.ts";

/** Measures how many outcomes of live mode are unknown, and the age of the oldest, for metrics and alerts. */
export async function measureUnresolved({
  db,
  events,
}: {
  db: Kysely<PaymentsDatabase>;
  events: BusinessEvents;
}): Promise<UnresolvedMeasure> {
  const { rows } = await sql<{ what: keyof UnresolvedMeasure; count: number; oldest_s: number }>`
    select case when payment.operation_id is null then 'payment' else 'operation' end as what,
      count(*)::int as count,
      extract(epoch from now() - min(coalesce(operation.created_at, payment.created_at)))::float8 as oldest_s
    from payment left join payment_operation as operation using (operation_id)
    where payment.recover_at is not null and (payment.recovery_attempts > 0 or payment.lease_until < now())
      and ${ofMode("payment.merchant_id", true)}
    group by 1`.execute(db);
  const measure: UnresolvedMeasure = {
    payment: { count: 0, oldestSeconds: 0 },
    operation: { count: 0, oldestSeconds: 0 },
  };
  for (const { what, count, oldest_s } of rows) measure[what] = { count, oldestSeconds: oldest_s };
  events.unresolvedMeasured(measure);
  return measure;
}
