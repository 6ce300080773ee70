import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "./business-events.ts";
import type { WebhooksDatabase } from "./database.ts";
import type { DeliveryQueue } from "./delivery/delivery-queue.ts";
import { MEASURE_STATE } from "./measure-statements.ts";

/**
 * Measures the dashboards' values. The oldest delivery is found endpoint by endpoint, as in a claim. The
 * number of deliveries is the planner's estimate, since counting a million would cost more.
 *
 * @returns true if nothing is due or under way, and no endpoint fails.
 */
export async function measureState(
  db: Kysely<WebhooksDatabase>,
  queue: DeliveryQueue,
  events: BusinessEvents,
): Promise<boolean> {
  const measurement = sql<Measured>`${sql.raw(MEASURE_STATE)}`;
  const { rows } = await measurement.execute(db);
  const { oldest_due_age_ms, behind_breaker_ms, pending, endpoints_failing, longest_failing_ms } = rows[0]!;
  const { inFlight, breakersOpen } = queue.measure();
  events.measured({
    oldestDueAgeMs: Math.max(0, oldest_due_age_ms),
    oldestDueBehindBreakerMs: Math.max(0, behind_breaker_ms),
    pending,
    inFlight,
    breakersOpen,
    endpointsFailing: endpoints_failing,
    longestFailingMs: Math.max(0, longest_failing_ms),
  });
  return inFlight === 0 && oldest_due_age_ms <= 0 && behind_breaker_ms <= 0 && endpoints_failing === 0;
}

type Measured = {
  oldest_due_age_ms: number;
  behind_breaker_ms: number;
  pending: number;
  endpoints_failing: number;
  longest_failing_ms: number;
};
