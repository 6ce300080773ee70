import { readSettlingAccounts, SETTLING_ACCOUNTS_MAX } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import { askOwner, type AskDeps } from "../ask-owner.ts";
import type { SettlementDatabase } from "../database.ts";

export type CopyDeps = AskDeps & { db: Kysely<SettlementDatabase> };

/**
 * Keeps a row for each account that payments can have been sent to, with its time zone. Its settlement terms stay as
 * they were set here. An account that is gone from the answer stays: accounts are never deleted.
 */
export async function copyAccounts(deps: CopyDeps): Promise<void> {
  let after: string | undefined;
  do {
    const answer = await askOwner(deps, "payments", readSettlingAccounts, { after });
    if (!answer) return;
    const { accounts } = answer;
    if (accounts.length > 0)
      await deps.db
        .insertInto("account")
        .values(accounts.map(({ accountId, timeZone }) => ({ account_id: accountId, time_zone: timeZone })))
        .onConflict((conflict) =>
          conflict
            .column("account_id")
            .doUpdateSet({ time_zone: sql`excluded.time_zone` })
            .where("account.time_zone", "is distinct from", sql<string>`excluded.time_zone`),
        )
        .execute();
    after = accounts.length < SETTLING_ACCOUNTS_MAX ? undefined : accounts.at(-1)?.accountId;
  } while (after !== undefined);
}
