import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { WebhooksDatabase } from "../database.ts";

export type Reaped = { expiredLeases: number; failed: number; cancelled: number; removed: number };

/**
 * Finishes the deliveries that no process is going to finish. Leases whose process has vanished end, so that the same
 * attempt is made again; a delivery that may no longer be attempted fails; one that waits for an endpoint that was
 * turned off is cancelled.
 */
export async function reapDeliveries(db: Kysely<WebhooksDatabase>, shiftMs: number): Promise<Reaped> {
  const expired = await db
    .updateTable("delivery")
    .set({ lease_token: null, lease_until: null })
    .where("lease_until", "<", fromNow(shiftMs))
    .executeTakeFirstOrThrow();
  return {
    expiredLeases: Number(expired.numUpdatedRows),
    failed: await failOverdue(db, shiftMs),
    cancelled: await cancelDisabled(db, shiftMs),
    removed: await removeEndpoints(db),
  };
}

async function failOverdue(db: Kysely<WebhooksDatabase>, shiftMs: number): Promise<number> {
  const overdue = sql`
    select delivery_id from delivery
    where (trigger = 'manual' or attempt > 1) and lease_token is null
      and deadline_at < ${fromNow(shiftMs)}
    order by deadline_at limit ${ROUND_MAX} for update skip locked`;
  return await endAs(db, "failed", overdue, shiftMs);
}

async function cancelDisabled(db: Kysely<WebhooksDatabase>, shiftMs: number): Promise<number> {
  const disabled = sql`
    select delivery_id
    from endpoint join delivery using (endpoint_id)
    where not enabled and lease_token is null
    limit ${ROUND_MAX} for update of delivery skip locked`;
  return await endAs(db, "cancelled", disabled, shiftMs);
}

/**
 * Deletes the chosen deliveries and writes the outcomes of their events, which a redelivery does not change. Nearly
 * always there are none, and to plan this for a partition of every day that is kept takes longer than to look.
 *
 * @param chosen selects and locks a `delivery_id` each.
 * @returns how many events have their outcome by this.
 */
async function endAs(
  db: Kysely<WebhooksDatabase>,
  outcome: "failed" | "cancelled",
  chosen: RawBuilder<unknown>,
  shiftMs: number,
): Promise<number> {
  const look = await sql<{ found: boolean }>`select exists (${chosen}) as found`.execute(db);
  if (!look.rows[0]?.found) return 0;
  const { rows } = await sql`
    with chosen as (${chosen}), ended as (
      delete from delivery using chosen where delivery.delivery_id = chosen.delivery_id
      returning endpoint_id, occurred_at, event_id, trigger
    )
    insert into outcome (endpoint_id, occurred_at, event_id, outcome, resolved_at)
    select endpoint_id, occurred_at, event_id, ${outcome}, ${fromNow(shiftMs)} from ended where trigger = 'schedule'
    on conflict do nothing
    returning event_id`.execute(db);
  return rows.length;
}

/**
 * Removes endpoints beside the default ones, with their secrets, that are off and have no deliveries left; the outcomes
 * of their events stay in the log. An hour is more than any statement lasts that has seen the endpoint on.
 */
async function removeEndpoints(db: Kysely<WebhooksDatabase>): Promise<number> {
  const { rows } = await sql`
    with removed as (
      delete from endpoint
      where not enabled and endpoint_id <> merchant_id and updated_at < now() - interval '1 hour'
        and not exists (select from delivery where delivery.endpoint_id = endpoint.endpoint_id)
      returning endpoint_id
    ), forgotten as (
      delete from endpoint_health using removed where endpoint_health.endpoint_id = removed.endpoint_id
    )
    select endpoint_id from removed`.execute(db);
  return rows.length;
}

const ROUND_MAX = 5_000;
