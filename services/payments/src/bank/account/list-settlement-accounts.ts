import { SETTLING_ACCOUNTS_MAX, type CommandReply, type SettlingAccount } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

/**
 * Live accounts to which payments may have been sent, in the order of their ids. An account whose first
 * version is not confirmed is left out. Test mode's simulator settles nothing.
 */
export async function listSettlementAccounts(
  db: Kysely<PaymentsDatabase>,
  { after }: { after?: string | undefined },
): Promise<CommandReply<{ accounts: SettlingAccount[] }>> {
  const rows = await db
    .selectFrom("acquirer_account")
    .select(["account_id", "time_zone"])
    .where("state", "!=", "PROPOSED")
    .where(sql<boolean>`uuid_extract_version(account_id) is distinct from 8`)
    .$if(after !== undefined, (query) => query.where("account_id", ">", after!))
    .orderBy("account_id")
    .limit(SETTLING_ACCOUNTS_MAX)
    .execute();
  const accounts = rows.map(({ account_id, time_zone }) => ({ accountId: account_id, timeZone: time_zone }));
  return { outcome: "done", result: { accounts } };
}
