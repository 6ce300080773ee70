import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";

/**
 * Replaces the IP address of old payments by one that belongs to nobody. It goes through the payments once,
 * in the order of time, and stores its progress in the database, so no index has to list payments that still
 * have an address, and none is read twice. Only one process does so at a time.
 *
 * @returns the number of payments that it went through.
 */
export async function forgetAddresses(
  db: Kysely<PaymentsDatabase>,
  { olderThanMs, rowsMax = BATCH_MAX }: { olderThanMs: number; rowsMax?: number },
): Promise<number> {
  let passed = 0;
  for (;;) {
    const { rows } = await sql<{ count: number }>`
      with place as (
        select through_at, through_id from purge_progress where task = 'forget addresses' for update skip locked
      ), batch as materialized (
        select old.payment_id, old.created_at from place cross join lateral (
          select payment_id, created_at from payment
          where (created_at, payment_id) > (place.through_at, place.through_id)
            and created_at < ${fromNow(-olderThanMs)}
          order by created_at, payment_id limit ${rowsMax}
        ) as old
      ), forgotten as (
        update payment set request_ip = ${NO_ADDRESS}, request_port = ${NO_PORT}
        from batch where payment.payment_id = batch.payment_id
      ), moved as (
        update purge_progress set through_at = last.created_at, through_id = last.payment_id
        from (select created_at, payment_id from batch order by created_at desc, payment_id desc limit 1) as last
        where task = 'forget addresses'
      )
      select count(*)::int as count from batch`.execute(db);
    const count = rows[0]!.count;
    passed += count;
    if (count < rowsMax) return passed;
  }
}

/** The address of a request without a known one, too. */
export const NO_ADDRESS = "0.0.0.0";
export const NO_PORT = 1;
const BATCH_MAX = 500;
