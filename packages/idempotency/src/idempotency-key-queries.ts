import { sql, type Kysely } from "kysely";
import type { KeyTaken } from "./decide-replay.ts";
import type { IdempotencyDatabase } from "./idempotency-key-table.ts";

/** The row of a key, if it is taken. */
export async function findIdempotencyKey<DB extends IdempotencyDatabase>(
  db: Kysely<DB>,
  { merchantId, scope, key }: { merchantId: string; scope: string; key: string },
): Promise<KeyTaken | undefined> {
  const found = await sql<KeyTaken>`
    select fingerprint, resource_id, answer from idempotency_key
    where merchant_id = ${merchantId} and scope = ${scope} and key = ${key}`.execute(db);
  return found.rows[0];
}

/**
 * Forgets keys older than `olderThanMs`, in small transactions, so that no lock is held for long. Any number of
 * processes may do so at once.
 *
 * @returns how many.
 */
export async function purgeIdempotencyKeys<DB extends IdempotencyDatabase>(
  db: Kysely<DB>,
  { olderThanMs }: { olderThanMs: number },
): Promise<number> {
  let purged = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from idempotency_key where ctid = any(array(
        select ctid from idempotency_key
        where created_at < now() - ${olderThanMs} * interval '1 millisecond'
        order by created_at limit ${PURGE_BATCH} for update skip locked
      ))`.execute(db);
    purged += Number(numAffectedRows);
    if (numAffectedRows < BigInt(PURGE_BATCH)) return purged;
  }
}

const PURGE_BATCH = 1_000;
