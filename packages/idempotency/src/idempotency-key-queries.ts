import { sql, type Kysely, type Transaction } from "kysely";
import type { KeyTaken } from "./decide-replay.ts";
import type { IdempotencyDatabase } from "./idempotency-key-table.ts";

/** The row of a key, if it is taken. */
export async function findIdempotencyKey<DB extends IdempotencyDatabase>(
  db: Kysely<DB>,
  { merchantId, scope, key }: KeyOwner,
): Promise<KeyTaken | undefined> {
  const found = await sql<KeyTaken>`
    select fingerprint, resource_id, answer from idempotency_key
    where merchant_id = ${merchantId} and scope = ${scope} and key = ${key}`.execute(db);
  return found.rows[0];
}

export type KeyOwner = { merchantId: string; scope: string; key: string };

/**
 * Takes a key and stores its answer in one step, for a request that is refused before anything is claimed under it.
 * @returns false when it is taken already.
 */
export async function answerAtOnce<DB extends IdempotencyDatabase>(
  db: Kysely<DB>,
  { merchantId, scope, key }: KeyOwner,
  { fingerprint, resourceId, reply }: { fingerprint: Buffer; resourceId: string; reply: unknown },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into idempotency_key (merchant_id, scope, key, fingerprint, resource_id, answer)
    values (${merchantId}, ${scope}, ${key}, ${fingerprint}, ${resourceId}, ${Buffer.from(JSON.stringify(reply))})
    on conflict (merchant_id, scope, key) do nothing`.execute(db);
  return numAffectedRows === 1n;
}

/** Takes a key for work that begins now. @returns false when it is taken already. */
export async function takeIdempotencyKey<DB extends IdempotencyDatabase>(
  trx: Transaction<DB>,
  { merchantId, scope, key }: KeyOwner,
  { fingerprint, resourceId }: { fingerprint: Buffer; resourceId: string },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into idempotency_key (merchant_id, scope, key, fingerprint, resource_id)
    values (${merchantId}, ${scope}, ${key}, ${fingerprint}, ${resourceId})
    on conflict (merchant_id, scope, key) do nothing`.execute(trx);
  return numAffectedRows === 1n;
}

/** Stores the first final reply of the work under `resourceId`; without a key for that work it stores nothing. */
export async function storeAnswer<DB extends IdempotencyDatabase>(
  trx: Transaction<DB>,
  resourceId: string,
  reply: unknown,
): Promise<void> {
  await sql`
    update idempotency_key set answer = ${Buffer.from(JSON.stringify(reply))}
    where resource_id = ${resourceId} and answer is null`.execute(trx);
}

/** Deletes the key of work that was dropped, so that a repetition may begin it again. */
export async function forgetKey<DB extends IdempotencyDatabase>(
  trx: Transaction<DB>,
  resourceId: string,
): Promise<void> {
  await sql`delete from idempotency_key where resource_id = ${resourceId} and answer is null`.execute(trx);
}

/**
 * Deletes keys older than `olderThanMs`, in small transactions, so that no lock is held for long. Any number of
 * processes may do so side by side.
 *
 * @returns how many keys were deleted.
 */
export async function purgeIdempotencyKeys<DB>(
  db: Kysely<DB>,
  { table = "idempotency_key", olderThanMs }: { table?: string; olderThanMs: number },
): Promise<number> {
  const keys = sql.table(table);
  let purged = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${keys} where ctid = any(array(
        select ctid from ${keys}
        where created_at < now() - ${olderThanMs} * interval '1 millisecond'
        order by created_at limit ${PURGE_BATCH} for update skip locked
      ))`.execute(db);
    purged += Number(numAffectedRows);
    if (numAffectedRows < BigInt(PURGE_BATCH)) return purged;
  }
}

const PURGE_BATCH = 1_000;
