import { sql, type Kysely, type RawBuilder } from "kysely";
import type { PaymentsDatabase } from "../database.ts";

type Age = { olderThanMs: number; rowsMax?: number };

/**
 * Deletes checkouts that were closed before, with their attempts, once every attempt's payment is settled.
 *
 * @returns how many checkouts were deleted.
 */
export async function purgeCheckouts(db: Kysely<PaymentsDatabase>, age: Age): Promise<number> {
  return await inBatches(db, age, (olderThan, rowsMax) => sql`purge_checkouts(${olderThan}, ${rowsMax})`);
}

/**
 * Deletes 3-D Secure sessions that ended before and in which nobody was authenticated, once their payment is settled.
 *
 * @returns how many were deleted.
 */
export async function purgeSessions(db: Kysely<PaymentsDatabase>, age: Age): Promise<number> {
  return await inBatches(
    db,
    age,
    (olderThan, rowsMax) => sql`purge_sessions(${olderThan}, with_evidence => false, rows_max => ${rowsMax})`,
  );
}

/** Deletes sessions with the result of an authentication, which is evidence in a dispute. */
export async function purgeEvidence(db: Kysely<PaymentsDatabase>, age: Age): Promise<number> {
  return await inBatches(
    db,
    age,
    (olderThan, rowsMax) => sql`purge_sessions(${olderThan}, with_evidence => true, rows_max => ${rowsMax})`,
  );
}

async function inBatches(
  db: Kysely<PaymentsDatabase>,
  { olderThanMs, rowsMax = BATCH_MAX }: Age,
  purge: (olderThan: RawBuilder<unknown>, rowsMax: number) => RawBuilder<unknown>,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const olderThan = sql`${olderThanMs} * interval '1 millisecond'`;
    const { rows } = await sql<{ count: number }>`select ${purge(olderThan, rowsMax)} as count`.execute(db);
    const count = rows[0]!.count;
    deleted += count;
    if (count < rowsMax) return deleted;
  }
}

const BATCH_MAX = 1_000;
