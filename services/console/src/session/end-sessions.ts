import { createHash } from "node:crypto";
import { sql, type Kysely } from "kysely";
import type { ConsoleDatabase } from "../database.ts";
import type { Logout } from "./verify-logout-token.ts";

type Db = Kysely<ConsoleDatabase>;

/**
 * Ends the sessions that a logout token names: those of one session at the provider, or else all of the
 * person's.
 *
 * @returns the number of sessions; undefined for a token that was used before, which ends nothing.
 */
export async function endSessions(
  db: Db,
  issuer: string,
  { tokenId, subject, providerSession }: Logout,
): Promise<number | undefined> {
  return await db.transaction().execute(async (trx) => {
    const token_hash = createHash("sha256").update(`${issuer} ${tokenId}`).digest();
    const { numInsertedOrUpdatedRows: isNew } = await trx
      .insertInto("logout_token")
      .values({ token_hash })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (isNew !== 1n) return undefined;
    let ended = trx.deleteFrom("session");
    if (providerSession !== undefined) ended = ended.where("provider_session", "=", providerSession);
    if (subject !== undefined) ended = ended.where("subject", "=", subject);
    const { numDeletedRows } = await ended.executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
}

/** @returns how many expired tokens, too old to be taken again, are deleted. */
export async function purgeLogoutTokens(db: Db, olderThanMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("logout_token")
    .where("created_at", "<", sql<Date>`now() - ${olderThanMs} * interval '1 millisecond'`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
