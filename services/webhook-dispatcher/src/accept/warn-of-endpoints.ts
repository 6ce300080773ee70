import { WEBHOOK_DISABLED_WARNING, type WebhookWarning } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { recordOwnEvents, type OwnEvent, type OwnEventTerms } from "./own-events.ts";
import type { WebhooksDatabase } from "../database.ts";

/** Warns merchants, at their other endpoints, of an endpoint of theirs that gets no events. */
export type WarnDeps = WarnTerms & { db: Kysely<WebhooksDatabase> };

type WarnTerms = OwnEventTerms & {
  /** The time that an endpoint fails before the merchant's other endpoints get the first warning. */
  warnAfterMs: number;
};

/**
 * Warns of each endpoint that fails: first after a while, then at each third of the time in which an event is
 * retried, each time once until it has succeeded again. If warnings were missed, only the latest one is
 * published.
 *
 * @returns the number of endpoints that were warned of.
 */
export async function warnOfFailing({ db, ...terms }: WarnDeps): Promise<number> {
  if (!(await hasFailing(db, terms))) return 0;
  return await db.transaction().execute(async (trx) => {
    const { rows } = await takeFailing(terms).execute(trx);
    const warnings = rows.map(({ endpoint_id, merchant_id, failing_since, lost_from }) => ({
      merchantId: merchant_id,
      endpointId: endpoint_id,
      reason: "FAILING" as const,
      failingSince: failing_since.toISOString(),
      ...(lost_from !== null && { lostFrom: lost_from.toISOString() }),
    }));
    return warnings.length > 0 ? await recordOwnEvents(trx, warnings.map(eventOf), terms) : 0;
  });
}

/** True if an endpoint is due for a warning. Nearly always none is, and no other statement runs. */
async function hasFailing(db: Kysely<WebhooksDatabase>, terms: WarnTerms): Promise<boolean> {
  const { rows } = await sql`
    select from endpoint_health as health where ${isUntold(terms)} limit 1`.execute(db);
  return rows.length > 0;
}

const isUntold = (terms: WarnTerms) =>
  sql`failing_since < ${fromNow(terms.shiftMs - terms.warnAfterMs)} and warnings < ${dueWarnings(terms)}`;

/**
 * The number of warnings that an outage has reached. A third of the window that is over before the first
 * warning brings none.
 */
function dueWarnings({ warnAfterMs, windowMs, shiftMs }: WarnTerms): RawBuilder<number> {
  const thirds = [windowMs / 3, (2 * windowMs) / 3].filter((ms) => ms > warnAfterMs);
  const passed = [warnAfterMs, ...thirds].map((ms) => sql`(failing_since < ${fromNow(shiftMs - ms)})::int`);
  return sql<number>`(${sql.join(passed, sql` + `)})`;
}

/**
 * Marks the endpoints that are due for a warning. The statement goes from the few failing rows to their
 * endpoints, by the index on the outage's beginning. Without statistics of so small a table, the planner
 * would go through all endpoints instead.
 */
export function takeFailing(terms: WarnTerms): RawBuilder<Failing> {
  return sql<Failing>`
    with failing as materialized (
      select health.endpoint_id, merchant_id, failing_since from endpoint_health as health cross join lateral (
        select merchant_id from endpoint
        where endpoint.endpoint_id = health.endpoint_id and state = 'on' limit 1) as theirs
      where ${isUntold(terms)}
      order by failing_since limit ${ROUND_MAX} for update of health skip locked
    ), warned as (
      update endpoint_health set warnings = ${dueWarnings(terms)}
      where endpoint_id = any(array(select endpoint_id from failing))
    )
    select endpoint_id, merchant_id, failing_since,
      (select min(deadline_at) from delivery
        where delivery.endpoint_id = failing.endpoint_id and trigger = 'schedule') as lost_from
    from failing`;
}

const ROUND_MAX = 100;

type Failing = { endpoint_id: string; merchant_id: string; failing_since: Date; lost_from: Date | null };

type Warning = Omit<WebhookWarning, "default"> & { merchantId: string };

function eventOf({ merchantId, ...warning }: Warning): OwnEvent {
  const { endpointId, reason, ...rest } = warning;
  const content: WebhookWarning = { endpointId, default: endpointId === merchantId, reason, ...rest };
  return { merchantId, endpointId, type: WEBHOOK_DISABLED_WARNING, status: reason, content };
}
