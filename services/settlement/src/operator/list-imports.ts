import {
  nameOf,
  cutPage,
  idCursor,
  INVALID_CURSOR_ERRORS,
  type CommandReply,
  type settlementImportDetailSchema,
  type settlementImportPageSchema,
  type SettlementImport,
} from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { z } from "zod";
import type { SettlementDatabase } from "../database.ts";
import type { ImportRow } from "../import/import-queries.ts";
import type { Mapping } from "../import/mapping.ts";
import { addUp } from "../import/preview-file.ts";
import { previewRanges, type Compared } from "../match/preview-ranges.ts";

/** A page of files, newest first. */
export async function listImports(
  { db, mappings }: { db: Kysely<SettlementDatabase>; mappings: ReadonlyMap<string, Mapping> },
  {
    limit,
    cursor,
    accountId,
  }: { limit: number; cursor?: string | undefined; accountId?: string | undefined },
): Promise<CommandReply<z.infer<typeof settlementImportPageSchema>>> {
  const before = cursor === undefined ? undefined : idCursor.decode(cursor);
  if (cursor !== undefined && before === undefined)
    return { outcome: "problem", code: "validation_failed", extra: { errors: INVALID_CURSOR_ERRORS } };
  const rows = await db
    .selectFrom("import")
    .selectAll()
    .$if(accountId !== undefined, (query) => query.where("account_id", "=", accountId!))
    .$if(before !== undefined, (query) => query.where("import_id", "<", before!))
    .orderBy("import_id", "desc")
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows, limit, ({ import_id }) => idCursor.encode(import_id));
  return {
    outcome: "done",
    result: { items: page.map(shownImport), ...next, mappings: [...mappings.keys()].toSorted() },
  };
}

type DescribeDeps = {
  db: Kysely<SettlementDatabase>;
  /** The comparison that a file's confirmation would bring: see `compareUnconfirmed`. */
  compare: (importId: string) => Promise<Compared>;
};

/** One file, with what could not be read of it and the result of comparing the others. */
export async function describeImport(
  { db, compare }: DescribeDeps,
  importId: string,
): Promise<CommandReply<z.infer<typeof settlementImportDetailSchema>>> {
  const row = await db.selectFrom("import").selectAll().where("import_id", "=", importId).executeTakeFirst();
  if (!row) return { outcome: "problem", code: "settlement_not_found" };
  const faulty = await db
    .selectFrom("line_fault")
    .select(["line_no", "reason"])
    .where("import_id", "=", importId)
    .orderBy("line_no")
    .limit(FAULTS_SHOWN)
    .execute();
  const noted = await db
    .selectFrom("line")
    .select(["line_no", "note"])
    .where("import_id", "=", importId)
    .where("note", "is not", null)
    .orderBy("line_no")
    .limit(FAULTS_SHOWN)
    .execute();
  const { rows: verdicts } = await sql<{ verdict: string; count: number }>`
    select coalesce(verdict, 'WAITING') as verdict, count(*)::int as count from line
    where import_id = ${importId} group by 1 order by 1`.execute(db);
  return {
    outcome: "done",
    result: {
      ...shownImport(row),
      // The sums are for the person who confirms it; of a file that counts there are statements.
      ...(row.state === "PROPOSED" && (await addUp(db, importId))),
      verdicts: Object.fromEntries(verdicts.map(({ verdict, count }) => [verdict, count])),
      ...(isCompared(row) && (await compare(importId))),
      faultyLines: faulty.map(({ line_no, reason }) => ({ line: line_no, reason })),
      notedLines: noted.map(({ line_no, note }) => ({ line: line_no, reason: note! })),
    },
  };
}

const FAULTS_SHOWN = 100;

function isCompared({ state, lines }: ImportRow): boolean {
  return state === "PROPOSED" && lines <= PREVIEWED_LINES_MAX;
}

/** The number of lines that can be compared within the time of one answer. */
const PREVIEWED_LINES_MAX = 10_000;

/**
 * The comparison that a file's confirmation would bring, by statements that are rolled back. It is made for each look, since
 * payments and other files change it until then.
 */
export async function compareUnconfirmed(
  db: Kysely<SettlementDatabase>,
  importId: string,
): Promise<Compared> {
  const trx = await db.startTransaction().execute();
  try {
    // Another process may do the same, and its lines are written here.
    await sql`select from import where import_id = ${importId} for no key update`.execute(trx);
    return await previewRanges(trx, importId);
  } finally {
    await trx.rollback().execute();
  }
}

/** A file as operators see it. */
export function shownImport(row: ImportRow): SettlementImport {
  return {
    importId: row.import_id,
    accountId: row.account_id,
    mapping: row.mapping,
    ...(row.mapping_version !== null && { mappingVersion: row.mapping_version }),
    fileName: row.file_name,
    importedBy: nameOf(row.imported_by),
    ...(row.confirmed_by !== null && { confirmedBy: nameOf(row.confirmed_by) }),
    ...(row.sha256 !== null && { sha256: row.sha256.toString("hex") }),
    state: row.state,
    ...(row.state === "PROPOSED" && { senderConfirms: row.sender_confirms }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.detail !== null && { detail: row.detail }),
    lines: row.lines,
    faults: row.faults,
    createdAt: row.created_at.toISOString(),
    ...(row.matched_at !== null && { comparedAt: row.matched_at.toISOString() }),
  };
}
