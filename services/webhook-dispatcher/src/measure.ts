import { sql, type Kysely } from "kysely";
import { SKEW_ALARM_MS, SKEW_STOP_MS, type Clock } from "./clock.ts";
import type { BusinessEvents } from "./business-events.ts";
import type { WebhooksDatabase } from "./database.ts";
import { BEFORE_EVERY_MERCHANT, waitingEndpoints } from "./delivery/claim-statements.ts";
import type { DeliveryQueue } from "./delivery/delivery-queue.ts";

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
  const { rows } = await sql<{ oldest_due_age_ms: number; pending: number }>`
    with recursive ${sql.raw(waitingEndpoints({ after: `'${BEFORE_EVERY_MERCHANT}'::uuid`, now: "now()" }))}, oldest as (
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
    skewMs: clock.skewMs,
  });
}
