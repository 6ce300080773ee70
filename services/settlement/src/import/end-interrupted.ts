import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";
import { appendAudit } from "@holdfast/audit";
import { endAsRefused, removeLines, type LeasedImport } from "./import-queries.ts";

/** Ends imports whose reader has died: nothing of them counts, and the file can be taken again. */
export async function endInterrupted(
  db: Kysely<SettlementDatabase>,
  events: Pick<BusinessEvents, "fileRefused">,
): Promise<void> {
  for (;;) {
    const leased = await leaseInterrupted(db);
    if (!leased) return;
    const detail = "the command that read the file did not end; run it again";
    await endAsRefused(db, leased, { reason: "interrupted", detail });
    events.fileRefused(leased, "interrupted");
  }
}

/** Ends imports that nobody has confirmed for long: nothing of them has counted. */
export async function endUnconfirmed(
  db: Kysely<SettlementDatabase>,
  events: Pick<BusinessEvents, "fileRefused">,
): Promise<void> {
  const ended = await db.transaction().execute(async (trx) => {
    const rows = await trx
      .updateTable("import")
      .set({ state: "REFUSED", reason: "not_confirmed", ended_at: sql<Date>`now()` })
      .where("state", "=", "PROPOSED")
      .where("created_at", "<", sql<Date>`now() - interval '30 days'`)
      .returningAll()
      .execute();
    for (const { import_id, account_id: account } of rows)
      await appendAudit(trx, {
        actor: "settlement",
        action: "settlement.refused",
        subject: import_id,
        detail: { account, reason: "not_confirmed" },
      });
    return rows;
  });
  for (const row of ended) {
    await removeLines(db, row);
    events.fileRefused(row, "not_confirmed");
  }
}

/** Leases with a token of its own, so that a reader that was only slow finds its import lost. */
async function leaseInterrupted(db: Kysely<SettlementDatabase>): Promise<LeasedImport | undefined> {
  const row = await db
    .updateTable("import")
    .set({ lease_token: sql`gen_random_uuid()`, lease_until: fromNow(LEASE_MS) })
    .where("import_id", "=", (query) =>
      query
        .selectFrom("import")
        .select("import_id")
        .where("state", "=", "READING")
        .where("lease_until", "<", sql<Date>`now()`)
        // A file that was sent over HTTP is still there, and is read again (`read-uploads.ts`).
        .where((import_) =>
          import_.not(
            import_.exists(
              import_
                .selectFrom("upload")
                .select("upload.import_id")
                .whereRef("upload.import_id", "=", "import.import_id"),
            ),
          ),
        )
        .orderBy("lease_until")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
  return row as LeasedImport | undefined;
}

const LEASE_MS = 60_000;
