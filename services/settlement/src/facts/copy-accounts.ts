import { randomUUIDv7 } from "node:crypto";
import { readSettlingAccounts, SETTLING_ACCOUNTS_MAX } from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";

export type CopyDeps = {
  bus: Bus;
  db: Kysely<SettlementDatabase>;
  events: Pick<BusinessEvents, "ownerSilent">;
};

/**
 * Keeps a row for each account that payments can have been sent to, with its time zone. Its settlement terms stay as
 * they were set here. An account that is gone from the answer stays: accounts are never deleted.
 */
export async function copyAccounts({ bus, db, events }: CopyDeps): Promise<void> {
  let after: string | undefined;
  do {
    const deadlineAt = Date.now() + ASK_TIMEOUT_MS;
    const context = { requestId: randomUUIDv7(), deadlineAt, service: { name: "settlement" } };
    const options = { waitUntil: deadlineAt, traceparent: "" };
    const reply = await request(bus, readSettlingAccounts, context, { after }, options);
    if (reply.outcome !== "done") return events.ownerSilent("payments", reply.outcome);
    const { accounts } = reply.result;
    if (accounts.length > 0)
      await db
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

const ASK_TIMEOUT_MS = 10_000;
