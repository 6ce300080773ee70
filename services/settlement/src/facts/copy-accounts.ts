import { readSettlingAccounts, SETTLING_ACCOUNTS_MAX } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import { askOwner, type AskDeps } from "../ask-owner.ts";
import type { SettlementDatabase } from "../database.ts";

export type CopyDeps = AskDeps & { db: Kysely<SettlementDatabase> };

/**
 * Keeps a row for each account that payments may have been sent to, with its time zone. Its settlement terms
 * stay as they were set here. An account that is missing from the answer stays: accounts are never deleted.
 *
 * @param known the accounts that this process has copied, with their time zones: unchanged ones are not
 * written.
 */
async function copyAccounts(deps: CopyDeps, known: Map<string, string>): Promise<void> {
  let after: string | undefined;
  do {
    const answer = await askOwner(deps, "payments", readSettlingAccounts, { after });
    if (!answer) return;
    const { accounts } = answer;
    const changed = accounts.filter(({ accountId, timeZone }) => known.get(accountId) !== timeZone);
    if (changed.length > 0)
      await deps.db
        .insertInto("account")
        .values(changed.map(({ accountId, timeZone }) => ({ account_id: accountId, time_zone: timeZone })))
        .onConflict((conflict) =>
          conflict
            .column("account_id")
            .doUpdateSet({ time_zone: sql`excluded.time_zone` })
            .where("account.time_zone", "is distinct from", sql<string>`excluded.time_zone`),
        )
        .execute();
    for (const { accountId, timeZone } of changed) known.set(accountId, timeZone);
    after = accounts.length < SETTLING_ACCOUNTS_MAX ? undefined : accounts.at(-1)?.accountId;
  } while (after !== undefined);
}

/**
 * Creates the periodic round that copies accounts. Each {@link WRITTEN_EVERY}th round writes all of them
 * again, since a failover may have lost one.
 */
export function watchAccounts(deps: CopyDeps): () => Promise<void> {
  let known = new Map<string, string>();
  let rounds = 0;
  return async () => {
    if (++rounds % WRITTEN_EVERY === 0) known = new Map();
    await copyAccounts(deps, known);
  };
}

const WRITTEN_EVERY = 20;
