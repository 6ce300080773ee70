import { WEBHOOK_DISABLED_WARNING, type WebhookWarning } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { recordOwnEvents, type OwnEvent, type OwnEventTerms } from "./own-events.ts";
import type { WebhooksDatabase } from "../database.ts";

/** Warns merchants, at their other endpoints, of an endpoint of theirs that gets no events. */
export type WarnDeps = OwnEventTerms & {
  db: Kysely<WebhooksDatabase>;
  /** The time that an endpoint fails before the others get a warning. */
  warnAfterMs: number;
};

/** Warns once of each endpoint that has begun to fail, until it has succeeded again. @returns how many */
export async function warnOfFailing({ db, warnAfterMs, windowMs, shiftMs }: WarnDeps): Promise<number> {
  if (!(await hasFailing(db, { warnAfterMs, shiftMs }))) return 0;
  return await db.transaction().execute(async (trx) => {
    const { rows } = await takeFailing({ warnAfterMs, shiftMs }).execute(trx);
    const warnings = rows.map(({ endpoint_id, merchant_id, failing_since, lost_from }) => ({
      merchantId: merchant_id,
      endpointId: endpoint_id,
      reason: "FAILING" as const,
      failingSince: failing_since.toISOString(),
      ...(lost_from !== null && { lostFrom: lost_from.toISOString() }),
    }));
    if (warnings.length > 0) await recordOwnEvents(trx, warnings.map(eventOf), { windowMs, shiftMs });
    return warnings.length;
  });
}

/** Nearly always there are none, and this is all that is asked. */
async function hasFailing(
  db: Kysely<WebhooksDatabase>,
  { warnAfterMs, shiftMs }: Pick<WarnDeps, "warnAfterMs" | "shiftMs">,
): Promise<boolean> {
  const { rows } = await sql`
    select from endpoint_health as health where ${isUntold({ warnAfterMs, shiftMs })} limit 1`.execute(db);
  return rows.length > 0;
}

const isUntold = ({ warnAfterMs, shiftMs }: Pick<WarnDeps, "warnAfterMs" | "shiftMs">) =>
  sql`failing_since < ${fromNow(shiftMs - warnAfterMs)} and (warned_at is null or warned_at < failing_since)`;

/**
 * Marks the endpoints that are to be warned of. From the few that fail to their endpoints, by the index on how long they do:
 * a planner that has no statistics of so small a table would go the other way, through all endpoints.
 */
export function takeFailing({
  warnAfterMs,
  shiftMs,
}: Pick<WarnDeps, "warnAfterMs" | "shiftMs">): RawBuilder<Failing> {
  return sql<Failing>`
    with failing as materialized (
      select health.endpoint_id, merchant_id, failing_since from endpoint_health as health cross join lateral (
        select merchant_id from endpoint
        where endpoint.endpoint_id = health.endpoint_id and state = 'on' limit 1) as theirs
      where ${isUntold({ warnAfterMs, shiftMs })}
      order by failing_since limit ${ROUND_MAX} for update of health skip locked
    ), warned as (
      update endpoint_health set warned_at = ${fromNow(shiftMs)}
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
