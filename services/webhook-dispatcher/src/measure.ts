import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "./business-events.ts";
import type { WebhooksDatabase } from "./database.ts";
import { waitingEndpoints } from "./delivery/claim-statements.ts";
import type { DeliveryQueue } from "./delivery/delivery-queue.ts";

/**
 * Measures what the dashboards show. The oldest delivery is found endpoint by endpoint, as in a claim. The number of
 * deliveries is the planner's estimate: counting a million would cost more.
 */
export async function measureState(
  db: Kysely<WebhooksDatabase>,
  queue: DeliveryQueue,
  events: BusinessEvents,
): Promise<void> {
  const { rows } = await sql<{ oldest_due_age_ms: number; pending: number }>`
    with recursive ${sql.raw(waitingEndpoints())}, oldest as (
      select due.due_at from waiting cross join lateral (
        select due_at from delivery
        where delivery.merchant_id = waiting.merchant_id and lease_token is null and trigger = 'schedule'
        order by due_at limit 1
      ) as due
    )
    select
      coalesce((select extract(epoch from now() - min(due_at)) * 1000 from oldest), 0)::float8 as oldest_due_age_ms,
      (select greatest(reltuples, 0)::float8 from pg_class where oid = 'delivery'::regclass) as pending`.execute(
    db,
  );
  const { oldest_due_age_ms, pending } = rows[0]!;
  const { inFlight, breakersOpen } = queue.measure();
  events.measured({
    oldestDueAgeMs: Math.max(0, oldest_due_age_ms),
    pending,
    inFlight,
    breakersOpen,
  });
}
