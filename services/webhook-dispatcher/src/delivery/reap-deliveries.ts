import { firstIdAt, fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Clock } from "../clock.ts";
import type { WebhooksDatabase } from "../database.ts";
import { firstKeptDay } from "../retention.ts";

export type Reaped = { expiredLeases: number; failed: number; cancelled: number; removed: number };

/**
 * Ends the deliveries that no process will finish. The leases of vanished processes end, so the same attempt
 * is made again. A delivery past its deadline fails. A delivery to a removed endpoint is cancelled, and so is
 * a delivery to a disabled endpoint once its event is no longer kept.
 *
 * @param eventDays the number of days for which events are kept.
 */
export async function reapDeliveries(
  db: Kysely<WebhooksDatabase>,
  { shiftMs, databaseNow }: Pick<Clock, "shiftMs" | "databaseNow">,
  eventDays: number,
): Promise<Reaped> {
  const overdue = overdueDeliveries(shiftMs);
  const unreachable = unreachableDeliveries(firstKeptDay(databaseNow(), eventDays));
  // Nearly always there is nothing, and this is the only statement.
  const { rows } = await sql<Record<keyof Reaped, boolean>>`
    select exists (select from delivery where lease_token is not null and lease_until < ${fromNow(shiftMs)})
        as "expiredLeases",
      exists (${overdue}) as failed, exists (${unreachable}) as cancelled,
      exists (select from endpoint where ${IS_TO_BE_REMOVED}) as removed`.execute(db);
  const isThere = rows[0]!;
  const expiredLeases = isThere.expiredLeases ? await endLeases(db, shiftMs) : 0;
  // A delivery that was leased until now may be past its deadline, and the last of its endpoint.
  const isFreed = expiredLeases > 0;
  const failed = isThere.failed || isFreed ? await endAs(db, "failed", overdue, shiftMs) : 0;
  const cancelled = isThere.cancelled || isFreed ? await endAs(db, "cancelled", unreachable, shiftMs) : 0;
  const removed = isThere.removed || cancelled > 0 ? await removeEndpoints(db) : 0;
  return { expiredLeases, failed, cancelled, removed };
}

async function endLeases(db: Kysely<WebhooksDatabase>, shiftMs: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("delivery")
    .set({ lease_token: null, lease_until: null })
    .where("lease_until", "<", fromNow(shiftMs))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

function overdueDeliveries(shiftMs: number) {
  return sql`
    select delivery_id from delivery join endpoint using (endpoint_id)
    where (trigger = 'manual' or attempt > 1) and lease_token is null
      and deadline_at < ${fromNow(shiftMs)}
      and state = 'on' and coalesce(attempts_until < ${fromNow(shiftMs)}, true)
    order by deadline_at limit ${ROUND_MAX} for update of delivery skip locked`;
}

function unreachableDeliveries(keptSinceMs: number) {
  return sql`
    select delivery_id
    from endpoint join delivery using (endpoint_id)
    where state <> 'on' and lease_token is null
      and event_id < case state when 'removed' then ${LAST_ID}::uuid else ${firstIdAt(keptSinceMs)}::uuid end
    limit ${ROUND_MAX} for update of delivery skip locked`;
}

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Deletes the chosen deliveries and writes their events' outcomes, which a redelivery does not change. Nearly
 * always there are none, and planning this for a partition of every kept day would take longer than looking
 * for them first.
 *
 * @param chosen selects and locks `delivery_id`s.
 * @returns the number of deliveries ended.
 */
export async function endAs(
  db: Kysely<WebhooksDatabase>,
  outcome: "failed" | "cancelled",
  chosen: RawBuilder<unknown>,
  shiftMs: number,
): Promise<number> {
  const look = await sql<{ found: boolean }>`select exists (${chosen}) as found`.execute(db);
  if (!look.rows[0]?.found) return 0;
  const { rows } = await sql<{ count: number }>`
    with chosen as (${chosen}), ended as (
      delete from delivery using chosen where delivery.delivery_id = chosen.delivery_id
      returning endpoint_id, occurred_at, event_id, trigger
    ), resolved as (
      insert into outcome (endpoint_id, occurred_at, event_id, outcome, resolved_at)
      select endpoint_id, occurred_at, event_id, ${outcome}, ${fromNow(shiftMs)} from ended where trigger = 'schedule'
      on conflict do nothing
    )
    select count(*)::int as count from ended`.execute(db);
  return rows[0]!.count;
}

/**
 * Deletes removed endpoints, except default ones, with their secrets, once they have no deliveries left; the
 * outcomes of their events stay in the log. An hour is longer than any statement that has seen the endpoint
 * on.
 */
async function removeEndpoints(db: Kysely<WebhooksDatabase>): Promise<number> {
  const { rows } = await sql`
    with removed as (
      delete from endpoint
      where ${IS_TO_BE_REMOVED}
      returning endpoint_id
    ), forgotten as (
      delete from endpoint_health using removed where endpoint_health.endpoint_id = removed.endpoint_id
    )
    select endpoint_id from removed`.execute(db);
  return rows.length;
}

const IS_TO_BE_REMOVED = sql`
  state = 'removed' and endpoint_id <> merchant_id and updated_at < now() - interval '1 hour'
    and not exists (select from delivery where delivery.endpoint_id = endpoint.endpoint_id)`;

export const ROUND_MAX = 5_000;
