import type { Pool } from "pg";

export type Reaped = { expiredLeases: number; failed: number; cancelled: number };

/**
 * What nobody is going to finish. Leases whose holder has vanished are taken back, so that the same attempt is sent
 * again; what may no longer be attempted has failed; what waits for an endpoint that was turned off is cancelled.
 */
export async function reapDeliveries(pool: Pool, shiftMs: number): Promise<Reaped> {
  const expired = await pool.query(
    `update delivery set lease_token = null, lease_until = null
     where lease_until < now() + $1::float8 * interval '1 millisecond'`,
    [shiftMs],
  );
  const failed = await pool.query(
    `with chosen as (
       select delivery_id from delivery
       where trigger = 'schedule' and attempt > 1 and lease_token is null
         and deadline_at < now() + $1::float8 * interval '1 millisecond'
       order by deadline_at limit ${ROUND_MAX} for update skip locked
     ), ended as (
       delete from delivery using chosen where delivery.delivery_id = chosen.delivery_id
       returning occurred_at, event_id
     )
     insert into outcome (occurred_at, event_id, outcome, resolved_at)
     select occurred_at, event_id, 'failed', now() + $1::float8 * interval '1 millisecond' from ended
     on conflict do nothing`,
    [shiftMs],
  );
  const cancelled = await cancelDisabled(pool, shiftMs);
  return { expiredLeases: expired.rowCount ?? 0, failed: failed.rowCount ?? 0, cancelled };
}

const ROUND_MAX = 5_000;

async function cancelDisabled(pool: Pool, shiftMs: number): Promise<number> {
  const { rowCount } = await pool.query(
    `with chosen as (
       select delivery_id from endpoint join delivery using (merchant_id)
       where not enabled and lease_token is null
       limit ${ROUND_MAX} for update of delivery skip locked
     ), ended as (
       delete from delivery using chosen where delivery.delivery_id = chosen.delivery_id
       returning occurred_at, event_id, trigger
     )
     insert into outcome (occurred_at, event_id, outcome, resolved_at)
     select occurred_at, event_id, 'cancelled', now() + $1::float8 * interval '1 millisecond'
     from ended where trigger = 'schedule'
     on conflict do nothing`,
    [shiftMs],
  );
  return rowCount ?? 0;
}
