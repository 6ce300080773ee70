import { fromNow } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { endAsRefused, ImportLostError, removeLines, type LeasedImport } from "./import-queries.ts";
import { takeFile, type TakeDeps } from "./take-file.ts";

/**
 * Takes the files that have arrived, one after the other, and those whose reader has died. Any number of processes share
 * the work: each import is one process's at a time.
 */
export async function takeArrivedFiles(deps: TakeDeps, isStopping: () => boolean): Promise<void> {
  await giveUpAbandoned(deps);
  while (!isStopping()) {
    const leased = await leaseNext(deps);
    if (!leased) return;
    try {
      // Of a file that a command was reading nothing is here to begin again with.
      if (leased.parts === null)
        await endAsRefused(deps.db, leased, {
          reason: "interrupted",
          detail: "the command that read the file did not end; run it again",
        });
      else await takeFile(deps, leased, () => partsOf(deps.db, leased));
      await removeParts(deps.db, leased.import_id);
    } catch (error) {
      // Whoever has it now goes on with it.
      if (!(error instanceof ImportLostError)) throw error;
    }
  }
}

async function leaseNext({ db, leaseMs }: TakeDeps): Promise<LeasedImport | undefined> {
  const row = await db
    .updateTable("import")
    .set({ state: "READING", lease_token: sql`gen_random_uuid()`, lease_until: fromNow(leaseMs) })
    .where("import_id", "=", (query) =>
      query
        .selectFrom("import")
        .select("import_id")
        .where((where) =>
          where.or([
            where("state", "=", "READY"),
            where.and([where("state", "=", "READING"), where("lease_until", "<", sql<Date>`now()`)]),
          ]),
        )
        .orderBy("created_at")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
  return row as LeasedImport | undefined;
}

/** The file as it arrived, a part at a time. */
async function* partsOf(
  db: Kysely<SettlementDatabase>,
  { import_id, parts }: LeasedImport,
): AsyncGenerator<Uint8Array> {
  for (let partNo = 0; partNo < (parts ?? 0); partNo++) {
    const row = await db
      .selectFrom("import_part")
      .select("data")
      .where("import_id", "=", import_id)
      .where("part_no", "=", partNo)
      .executeTakeFirst();
    // The hash of the whole then says that something is missing.
    if (row) yield row.data;
  }
}

/** Of an import that has ended. */
async function removeParts(db: Kysely<SettlementDatabase>, importId: string): Promise<void> {
  await sql`
    delete from import_part where import_id = ${importId}
      and exists (select from import where import_id = ${importId} and state in ('TAKEN', 'REFUSED'))`.execute(
    db,
  );
}

/** A file whose parts stopped arriving an hour ago: nothing of it counts. */
async function giveUpAbandoned({ db }: TakeDeps): Promise<void> {
  const given = await db
    .updateTable("import")
    .set({
      state: "REFUSED",
      reason: "abandoned",
      detail: "its parts stopped arriving",
      ended_at: sql`now()`,
    })
    .where("state", "=", "RECEIVING")
    .where("created_at", "<", fromNow(-ABANDONED_AFTER_MS))
    .returning("import_id")
    .execute();
  for (const { import_id } of given) await removeLines(db, import_id);
}

const ABANDONED_AFTER_MS = 3_600_000;
