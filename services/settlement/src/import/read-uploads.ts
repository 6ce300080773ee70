import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { openBytesAtRest, type RestKeyRing } from "@holdfast/sealing";
import { endAsRefused, type LeasedImport } from "./import-queries.ts";
import { importLeasedFile, type ImportDeps } from "./import-leased-file.ts";

/**
 * Reads the uploaded files of operators, one after another, and deletes their bytes. If the process dies
 * during the reading, the next one that gets the lease reads the file. A file that was never sent completely
 * is dropped.
 */
export async function readUploads(
  deps: ImportDeps & { fileKeys: RestKeyRing },
  isStopping: () => boolean,
): Promise<void> {
  if (!(await hasUploads(deps.db))) return;
  await forgetAbandoned(deps.db);
  while (!isStopping()) {
    const leased = await leaseUpload(deps);
    if (!leased) return;
    if (leased.tries > TRIES_MAX) {
      const detail = `its reader did not end ${TRIES_MAX} times`;
      await endAsRefused(deps.db, leased, { reason: "interrupted", detail });
      deps.events.fileRefused(leased, "interrupted");
    } else await importLeasedFile(deps, leased, () => partsOf(deps, leased.import_id));
    await deps.db.deleteFrom("upload").where("import_id", "=", leased.import_id).execute();
  }
}

const TRIES_MAX = 3;

/** Nearly always there are no uploads, and this is the only query. */
async function hasUploads(db: Kysely<SettlementDatabase>): Promise<boolean> {
  return (await db.selectFrom("upload").select("import_id").limit(1).executeTakeFirst()) !== undefined;
}

/** No part came for two minutes: the client is gone. */
async function forgetAbandoned(db: Kysely<SettlementDatabase>): Promise<void> {
  await db
    .deleteFrom("upload")
    .where("sealed_at", "is", null)
    .where("touched_at", "<", sql<Date>`now() - interval '2 minutes'`)
    .execute();
}

type LeasedUpload = LeasedImport & { tries: number; review: boolean };

async function leaseUpload({
  db,
  leaseMs,
}: Pick<ImportDeps, "db" | "leaseMs">): Promise<LeasedUpload | undefined> {
  return await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable("import")
      .set({ lease_token: sql`gen_random_uuid()`, lease_until: fromNow(leaseMs) })
      .where("import_id", "=", (query) =>
        query
          .selectFrom("import")
          .innerJoin("upload", "upload.import_id", "import.import_id")
          .select("import.import_id")
          .where("import.state", "=", "READING")
          .where((where) =>
            where.or([where("lease_until", "is", null), where("lease_until", "<", sql<Date>`now()`)]),
          )
          .orderBy("import.created_at")
          .limit(1)
          .forUpdate("import")
          .skipLocked(),
      )
      .returningAll()
      .executeTakeFirst();
    if (!row) return undefined;
    const { tries, review } = await trx
      .updateTable("upload")
      .set({ tries: sql`tries + 1` })
      .where("import_id", "=", row.import_id)
      .returning(["tries", "review"])
      .executeTakeFirstOrThrow();
    return { ...(row as LeasedImport), tries, review };
  });
}

/** The parts of an uploaded file in clear, which they are in memory alone. @throws SecretUnreadableError */
export async function* partsOf(
  { db, fileKeys }: { db: Kysely<SettlementDatabase>; fileKeys: RestKeyRing },
  importId: string,
): AsyncGenerator<Uint8Array> {
  for (let after = -1; ;) {
    const row = await db
      .selectFrom("upload_part")
      .select(["part", "content"])
      .where("import_id", "=", importId)
      .where("part", ">", after)
      .orderBy("part")
      .limit(1)
      .executeTakeFirst();
    if (!row) return;
    yield openBytesAtRest(fileKeys, ownerOfPart(importId, row.part), row.content);
    after = row.part;
  }
}

/** The row that a part is bound to. */
export function ownerOfPart(importId: string, part: number): string {
  return `upload ${importId} ${part}`;
}
