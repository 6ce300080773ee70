import type { KeyTaken } from "@holdfast/idempotency";
import { fromNow } from "@holdfast/postgres";
import type { Kysely, Transaction } from "kysely";
import { read, type GatewayDatabase } from "../database.ts";

type Db = Kysely<GatewayDatabase>;

/**
 * The table of a listener's keys. Operators and staff have separate tables, so that neither listener can
 * delete the other's keys.
 */
export type KeyTable = "operator_key" | "staff_key";
/** A person's key for a request. */
export type OperatorKey = { table: KeyTable; subject: string; scope: string; key: string };
/** The right to carry a key's request out, for a time. */
export type KeyLease = { resourceId: string; leaseId: string };

/**
 * Claims a key for a request that begins now, or for the repetition of a request that left no answer in its
 * time.
 *
 * @returns undefined if the key was used for another request, is in use, or has its answer.
 */
export async function takeOperatorKey(
  db: Db,
  { table, ...owner }: OperatorKey,
  { fingerprint, older, ...lease }: KeyLease & { fingerprint: Buffer; older: readonly Buffer[] },
  leaseMs: number,
): Promise<KeyLease | undefined> {
  const taken = await read(
    db
      .insertInto(table)
      .values({
        ...owner,
        fingerprint,
        resource_id: lease.resourceId,
        lease_id: lease.leaseId,
        leased_until: fromNow(leaseMs),
      })
      .onConflict((conflict) =>
        conflict
          .columns(["subject", "scope", "key"])
          .doUpdateSet((eb) => ({
            lease_id: eb.ref("excluded.lease_id"),
            leased_until: eb.ref("excluded.leased_until"),
          }))
          .where(`${table}.answer`, "is", null)
          .where(`${table}.leased_until`, "<", (eb) => eb.fn<Date>("now"))
          .where(`${table}.fingerprint`, "in", [fingerprint, ...older]),
      )
      .returning("resource_id")
      .executeTakeFirst(),
  );
  return taken && { resourceId: taken.resource_id, leaseId: lease.leaseId };
}

/** The row of a key, if it is taken. */
export async function findOperatorKey(
  db: Db,
  { table, subject, scope, key }: OperatorKey,
): Promise<KeyTaken | undefined> {
  const query = db
    .selectFrom(table)
    .select(["fingerprint", "resource_id", "answer"])
    .where("subject", "=", subject)
    .where("scope", "=", scope)
    .where("key", "=", key);
  return await read(query.executeTakeFirst());
}

/** Stores a final answer. @returns false if another request has taken the key over. */
export async function storeOperatorAnswer(
  trx: Db | Transaction<GatewayDatabase>,
  { table, subject, scope, key }: OperatorKey,
  leaseId: string,
  answer: Buffer,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable(table)
    .set({ answer })
    .where("subject", "=", subject)
    .where("scope", "=", scope)
    .where("key", "=", key)
    .where("lease_id", "=", leaseId)
    .where("answer", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Frees the key of a request that did nothing. */
export async function freeOperatorKey(
  db: Db,
  { table, subject, scope, key }: OperatorKey,
  leaseId: string,
): Promise<void> {
  await db
    .deleteFrom(table)
    .where("subject", "=", subject)
    .where("scope", "=", scope)
    .where("key", "=", key)
    .where("lease_id", "=", leaseId)
    .where("answer", "is", null)
    .execute();
}
