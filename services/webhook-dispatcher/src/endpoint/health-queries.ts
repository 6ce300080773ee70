import { WAITING_COUNT_MAX } from "@holdfast/contracts";
import { unnested } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable } from "kysely";
import type { Pool } from "pg";
import type { EndpointHealthTable, WebhooksDatabase } from "../database.ts";
import type { HealthReport } from "../delivery/health-reports.ts";

export type StoredHealth = Partial<Selectable<EndpointHealthTable>> & {
  /** The time since which the oldest delivery that waits has been due; null when none is. */
  oldest_due_at: Date | null;
  /** The events that wait for it, and the time of the oldest of them. */
  waiting_count?: number | null;
  waits_since?: Date | null;
};

/** The health of these endpoints, by their ids. */
export async function readHealth(
  db: Kysely<WebhooksDatabase>,
  endpointIds: string[],
): Promise<Map<string, StoredHealth>> {
  const { rows } = await sql<StoredHealth & { asked: string }>`
    select asked.endpoint_id as asked, endpoint_health.*, oldest.due_at as oldest_due_at,
      waiting.count as waiting_count, waiting.since as waits_since
    from unnest(${endpointIds}::uuid[]) as asked(endpoint_id)
      left join endpoint_health using (endpoint_id)
      left join lateral (
        select due_at from delivery
        where delivery.endpoint_id = asked.endpoint_id and lease_token is null and trigger = 'schedule'
          and due_at <= now()
        order by due_at limit 1
      ) as oldest on true
      cross join lateral (
        select count(*)::int as count, min(occurred_at) as since from (
          select occurred_at from delivery
          where delivery.endpoint_id = asked.endpoint_id and trigger = 'schedule'
          order by event_id limit ${sql.lit(WAITING_COUNT_MAX)}
        ) as first
      ) as waiting`.execute(db);
  return new Map(rows.map((row) => [row.asked, row]));
}

const REPORT_COLUMNS = [
  ["endpoint_id", "uuid"],
  ["last_success_at", "timestamptz"],
  ["last_failure_at", "timestamptz"],
  ["failing_since", "timestamptz"],
  ["breaker_open", "boolean"],
] as const;

/**
 * The length from which an outage brings deliveries forward. After a shorter outage the schedule itself soon
 * sends again.
 */
const OUTAGE_MINUTES = 5;

/**
 * Merges this process's observations into the shared health. An endpoint fails since its first failure after
 * the last success, whichever process saw them. A success ends the outage, with its warnings. The rows are
 * written in the order of their keys, so two processes never deadlock.
 */
const KEEP_HEALTH = {
  name: "keep-health",
  text: `
  insert into endpoint_health as known
    (endpoint_id, last_success_at, last_failure_at, failing_since, breaker_open, reported_at)
  select *, now() from ${unnested(REPORT_COLUMNS, 1)} order by endpoint_id
  on conflict (endpoint_id) do update set
    last_success_at = greatest(known.last_success_at, excluded.last_success_at),
    last_failure_at = greatest(known.last_failure_at, excluded.last_failure_at),
    failing_since = (
      select min(failure) from unnest(array[known.failing_since, excluded.failing_since, excluded.last_failure_at])
        as seen(failure)
      where failure > coalesce(greatest(known.last_success_at, excluded.last_success_at), '-infinity')),
    warnings = case when greatest(known.last_success_at, excluded.last_success_at) >= known.failing_since
      then 0 else known.warnings end,
    breaker_open = excluded.breaker_open,
    reported_at = excluded.reported_at
  returning endpoint_id, coalesce(
    new.failing_since is null and new.last_success_at > old.failing_since + interval '${OUTAGE_MINUTES} minutes',
    false) as is_back`,
};

/** @returns the endpoints that answer again after an outage. */
export async function mergeHealth(pool: Pool, reports: ReadonlyMap<string, HealthReport>): Promise<string[]> {
  const rows = [...reports].map(([endpoint_id, report]) => ({
    endpoint_id,
    last_success_at: report.lastSuccessAt ?? null,
    last_failure_at: report.lastFailureAt ?? null,
    failing_since: report.failingSince ?? null,
    breaker_open: report.breakerOpen,
  }));
  const { rows: kept } = await pool.query<{ endpoint_id: string; is_back: boolean }>({
    ...KEEP_HEALTH,
    values: REPORT_COLUMNS.map(([column]) => rows.map((row) => row[column])),
  });
  return kept.filter(({ is_back }) => is_back).map(({ endpoint_id }) => endpoint_id);
}
