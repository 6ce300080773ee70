import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";
import { endAsRefused, ImportLostError, type LeasedImport } from "./import-queries.ts";

/** Ends imports whose reader has died: none of their lines count, and the file can be imported again. */
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

/** Ends imports that nobody has confirmed for a long time: none of their lines have counted. */
export async function endUnconfirmed(
  db: Kysely<SettlementDatabase>,
  events: Pick<BusinessEvents, "fileRefused">,
): Promise<void> {
  const forgotten = await db
    .selectFrom("import")
    .selectAll()
    .where("state", "=", "PROPOSED")
    .where("created_at", "<", sql<Date>`now() - interval '30 days'`)
    .execute();
  for (const row of forgotten) {
    try {
      const detail = "nobody confirmed it within 30 days";
      await endAsRefused(db, row, { reason: "not_confirmed", detail, actor: "settlement" });
    } catch (error) {
      // Somebody has just decided about it.
      if (!(error instanceof ImportLostError)) throw error;
      continue;
    }
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
        // A file that was uploaded over HTTP is still stored, and is read again (`read-uploads.ts`).
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
