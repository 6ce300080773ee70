import type { Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";

/** Makes an account's row where there is none. */
export async function keepAccount(db: Kysely<SettlementDatabase>, accountId: string): Promise<void> {
  await db
    .insertInto("account")
    .values({ account_id: accountId })
    .onConflict((conflict) => conflict.column("account_id").doNothing())
    .execute();
}
