import type {
  CommandReply,
  OperatorContext,
  ProblemCode,
  SealedReply,
  SettlementImport,
} from "@holdfast/contracts";
import { sealAtRest, type RestKeyRing, type RingRecipient } from "@holdfast/sealing";
import { sql, type Kysely, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { shownImport } from "./list-imports.ts";
import { findTaken, type ImportRow } from "../import/import-queries.ts";
import type { Mapping } from "../import/mapping.ts";
import { ownerOfPart } from "../import/read-uploads.ts";

export type UploadDeps = {
  db: Kysely<SettlementDatabase>;
  mappings: ReadonlyMap<string, Mapping>;
  fileKeys: RestKeyRing;
  /** Bytes of files that may be kept at the same time, until they count. */
  bytesMax: bigint;
  /** The parts are sealed to it on their way. */
  recipient: RingRecipient;
};

type Begun = {
  importId: string;
  accountId: string;
  mapping: string;
  fileName: string;
  review?: "true" | "false" | undefined;
};

/**
 * Begins to receive a file, part by part. Any of these calls may be repeated: an existing part stays
 * unchanged.
 */
export async function beginUpload(
  { db, mappings, recipient, bytesMax }: UploadDeps,
  { operator }: OperatorContext,
  { importId, accountId, mapping, fileName, review }: Begun,
): Promise<CommandReply<{ sealTo: string }>> {
  if (!mappings.has(mapping)) return notKnown("mapping", "there is no such mapping");
  return await db.transaction().execute(async (trx): Promise<CommandReply<{ sealTo: string }>> => {
    // One upload begins at a time, so that the bound below is exact.
    await sql`select pg_advisory_xact_lock(hashtextextended('settlement.upload', 0))`.execute(trx);
    const { rows } = await sql<{ is_account: boolean; open: number; bytes: bigint }>`
      select exists (select from account where account_id = ${accountId}) as is_account,
        (select count(*)::int from upload where import_id <> ${importId}) as open, ${BYTES_KEPT} as bytes`.execute(
      trx,
    );
    if (!rows[0]!.is_account) return notKnown("accountId", "there is no such account");
    if (rows[0]!.open >= UPLOADS_MAX || rows[0]!.bytes >= bytesMax) return FULL;
    await trx
      .insertInto("upload")
      .values({
        import_id: importId,
        account_id: accountId,
        mapping,
        file_name: fileName,
        review: review === "true",
        uploaded_by: operator.person,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return { outcome: "done", result: { sealTo: recipient.publicKey } };
  });
}

/** Files that are sent or wait to be read at the same time, each of a gibibyte at most. */
const UPLOADS_MAX = 8;

/** Files that are sent, and files whose lines wait for a second person: other data has to have room beside them. */
const BYTES_KEPT = sql<bigint>`((select coalesce(sum(bytes), 0) from upload)
  + (select coalesce(sum(bytes), 0) from import where state = 'PROPOSED'))::bigint`;

const FULL: CommandReply<never> = { outcome: "problem", code: "uploads_full" satisfies ProblemCode };

function notKnown(field: string, message: string): CommandReply<never> {
  const errors = [{ field, code: "invalid_value" as const, message }];
  return { outcome: "problem", code: "validation_failed", extra: { errors } };
}

/** Keeps one part, sealed: it is in clear in this process's memory alone. */
export async function addUploadPart(
  { db, fileKeys, recipient, bytesMax }: UploadDeps,
  { operator }: OperatorContext,
  { importId, part, content }: { importId: string; part: number; content: SealedReply },
): Promise<CommandReply<Record<string, never>>> {
  const opened = recipient.open(content);
  // The key was replaced since the upload began, so the file is sent again.
  if (!opened) return { outcome: "not_started" };
  const sealed = sealAtRest(fileKeys, ownerOfPart(importId, part), opened);
  const { rows } = await sql<{ fits: boolean }>`
    with touched as (
      select import_id, ${BYTES_KEPT} + ${opened.length}::int <= ${bytesMax}::bigint as fits from upload
      where import_id = ${importId} and uploaded_by = ${operator.person} and sealed_at is null
      for no key update
    ), added as (
      insert into upload_part (import_id, part, bytes, content)
      select import_id, ${part}::int, ${opened.length}::int, ${sealed}::bytea from touched where fits
      on conflict do nothing
      returning bytes
    ), counted as (
      update upload set touched_at = now(), bytes = upload.bytes + coalesce((select bytes from added), 0)
      from touched where upload.import_id = touched.import_id
    )
    select fits from touched`.execute(db);
  if (rows.length === 0) return gone();
  return rows[0]!.fits ? { outcome: "done", result: {} } : FULL;
}

export const gone = (): CommandReply<never> => ({
  outcome: "problem",
  code: "settlement_not_found" satisfies ProblemCode,
});

export type Sealed = { importId: string; parts: number; bytes: number; sha256: string };

/**
 * Creates an import from the uploaded parts, if all of them are there and the file was not imported before.
 * Running services then read it. If it was imported before, the parts are removed.
 */
export async function endUpload(
  { db }: UploadDeps,
  { operator }: OperatorContext,
  sealed: Sealed,
): Promise<CommandReply<SettlementImport>> {
  return await db.transaction().execute(async (trx): Promise<CommandReply<SettlementImport>> => {
    const upload = await trx
      .selectFrom("upload")
      .selectAll()
      .where("import_id", "=", sealed.importId)
      .where("uploaded_by", "=", operator.person)
      .forUpdate()
      .executeTakeFirst();
    const made = await readImport(trx, sealed.importId);
    if (made?.imported_by === operator.person) return { outcome: "done", result: shownImport(made) };
    if (!upload) return gone();
    if (!(await isWhole(trx, sealed))) return gone();
    const sha256 = Buffer.from(sealed.sha256, "hex");
    const earlier = await findTaken(trx, upload.account_id, sha256);
    if (earlier) {
      await trx.deleteFrom("upload").where("import_id", "=", sealed.importId).execute();
      return { outcome: "problem", code: "settlement_already_taken", detail: `by import ${earlier}` };
    }
    await trx
      .updateTable("upload")
      .set({ sealed_at: sql<Date>`now()` })
      .where("import_id", "=", sealed.importId)
      .execute();
    const { import_id, account_id, mapping, file_name, uploaded_by: imported_by } = upload;
    const row = await trx
      .insertInto("import")
      .values({ import_id, account_id, mapping, file_name, imported_by, sha256, state: "READING" })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { outcome: "done", result: shownImport(row) };
  });
}

export async function isWhole(
  db: Kysely<SettlementDatabase>,
  { importId, parts, bytes }: Sealed,
): Promise<boolean> {
  const { rows } = await sql<{ parts: number; bytes: number }>`
    select count(*)::int as parts, coalesce(sum(bytes), 0)::float8 as bytes from upload_part
    where import_id = ${importId}`.execute(db);
  return rows[0]!.parts === parts && rows[0]!.bytes === bytes;
}

async function readImport(
  trx: Transaction<SettlementDatabase>,
  importId: string,
): Promise<ImportRow | undefined> {
  return await trx.selectFrom("import").selectAll().where("import_id", "=", importId).executeTakeFirst();
}
