import { sql, type Kysely } from "kysely";
import { SKEW_ALARM_MS, SKEW_STOP_MS, type Clock } from "./clock.ts";
import type { BusinessEvents } from "./business-events.ts";
import type { WebhooksDatabase } from "./database.ts";
import type { DeliveryQueue } from "./delivery/delivery-queue.ts";
import { MEASURE_STATE } from "./measure-statements.ts";

/**
 * Measures how far the database's clock is ahead of ours. The quickest of a few queries is the most precise, since its
 * error is at most half its duration; a slow answer tells nothing.
 */
export async function measureSkew(
  db: Kysely<WebhooksDatabase>,
  clock: Clock,
  events: BusinessEvents,
): Promise<void> {
  let quickestMs = PRECISION_MS;
  for (let question = 0; question < QUESTIONS; question++) {
    const askedAt = performance.now();
    const { rows } = await sql<{ now: string }>`
      select (extract(epoch from clock_timestamp()) * 1000)::text as now`.execute(db);
    const tookMs = performance.now() - askedAt;
    if (tookMs >= quickestMs) continue;
    quickestMs = tookMs;
    clock.measured(Number(rows[0]!.now) + tookMs / 2 - Date.now());
  }
  if (Math.abs(clock.skewMs) > SKEW_ALARM_MS) {
    events.skewed(clock.skewMs, Math.abs(clock.skewMs) > SKEW_STOP_MS);
  }
}

const QUESTIONS = 3;
const PRECISION_MS = 1_000;

/**
 * Measures what the dashboards show. The oldest delivery is found endpoint by endpoint, as in a claim. The number of
 * deliveries is the planner's estimate: counting a million would cost more.
 */
export async function measureState(
  db: Kysely<WebhooksDatabase>,
  queue: DeliveryQueue,
  clock: Clock,
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
    skewMs: clock.skewMs,
  });
}
