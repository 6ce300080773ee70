import { fromNow } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";

export type Reaped = { expiredLeases: number; failed: number; cancelled: number };

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
  };
}

async function failOverdue(db: Kysely<WebhooksDatabase>, shiftMs: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with chosen as (
      select delivery_id from delivery
      where trigger = 'schedule' and attempt > 1 and lease_token is null
        and deadline_at < ${fromNow(shiftMs)}
      order by deadline_at limit ${ROUND_MAX} for update skip locked
    ), ended as (
      delete from delivery using chosen where delivery.delivery_id = chosen.delivery_id
      returning occurred_at, event_id
    )
    insert into outcome (occurred_at, event_id, outcome, resolved_at)
    select occurred_at, event_id, 'failed', ${fromNow(shiftMs)} from ended
    on conflict do nothing`.execute(db);
  return Number(numAffectedRows);
}

async function cancelDisabled(db: Kysely<WebhooksDatabase>, shiftMs: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with chosen as (
      select delivery_id from endpoint join delivery using (merchant_id)
      where not enabled and lease_token is null
      limit ${ROUND_MAX} for update of delivery skip locked
    ), ended as (
      delete from delivery using chosen where delivery.delivery_id = chosen.delivery_id
      returning occurred_at, event_id, trigger
    )
    insert into outcome (occurred_at, event_id, outcome, resolved_at)
    select occurred_at, event_id, 'cancelled', ${fromNow(shiftMs)}
    from ended where trigger = 'schedule'
    on conflict do nothing`.execute(db);
  return Number(numAffectedRows);
}

const ROUND_MAX = 5_000;
