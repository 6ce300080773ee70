import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "./business-events.ts";
import type { WebhooksDatabase } from "./database.ts";
import type { DeliveryQueue } from "./delivery/delivery-queue.ts";
import { MEASURE_STATE } from "./measure-statements.ts";

/**
 * Measures what the dashboards show. The oldest delivery is found endpoint by endpoint, as in a claim. The number of
 * deliveries is the planner's estimate: counting a million would cost more.
 */
export async function measureState(
  db: Kysely<WebhooksDatabase>,
  queue: DeliveryQueue,
  events: BusinessEvents,
): Promise<void> {
  const measurement = sql<{ oldest_due_age_ms: number; pending: number }>`${sql.raw(MEASURE_STATE)}`;
  const { rows } = await measurement.execute(db);
  const { oldest_due_age_ms, pending } = rows[0]!;
  const { inFlight, breakersOpen } = queue.measure();
  events.measured({
    oldestDueAgeMs: Math.max(0, oldest_due_age_ms),
    pending,
    inFlight,
    breakersOpen,
  });
}
