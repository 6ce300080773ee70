/**
 * `npm run settle -- import FILE --account ID` takes a bank's file into the settlement service's tables, whole or not at
 * all; running services compare its lines. It connects as the schema's owner.
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { shownFileName } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import type { Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import type { LeasedImport } from "./import-queries.ts";
import { importLeasedFile, type FileOutcome, type ImportDeps } from "./import-leased-file.ts";

export type ImportRequest = {
  file: string;
  accountId: string;
  mapping: string;
  /** The person who runs the command, as the audit log names them. */
  importedBy: string;
};

/**
 * Imports a file. It refuses a file for an account without any payments, or with a card number in its name,
 * without keeping a trace of it. It reads any other file twice: for its hash, by which a file that was
 * imported before is refused early, and for its lines.
 */
export async function importFile(
  deps: ImportDeps,
  { file, accountId, mapping, importedBy }: ImportRequest,
): Promise<{ importId?: string } & FileOutcome> {
  const account = await deps.db
    .selectFrom("account")
    .select("account_id")
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (!account)
    return {
      outcome: "refused",
      reason: "unknown_account",
      detail: `there is no account "${accountId}" at a bank`,
    };
  const fileName = shownFileName(basename(file));
  if (fileName === undefined)
    return { outcome: "refused", reason: "file_name", detail: "the file's name has a card number in it" };
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part as Uint8Array);
  const leased = await beginImport(deps.db, {
    account_id: accountId,
    mapping,
    file_name: fileName,
    imported_by: importedBy,
    sha256: hash.digest(),
    leaseMs: deps.leaseMs,
  });
  const outcome = await importLeasedFile(deps, leased, () => createReadStream(file));
  return { importId: leased.import_id, ...outcome };
}

async function beginImport(
  db: Kysely<SettlementDatabase>,
  {
    leaseMs,
    ...row
  }: Pick<LeasedImport, "account_id" | "mapping" | "file_name" | "imported_by" | "sha256"> & {
    leaseMs: number;
  },
): Promise<LeasedImport> {
  return (await db
    .insertInto("import")
    .values({ ...row, state: "READING", lease_token: randomUUID(), lease_until: fromNow(leaseMs) })
    .returningAll()
    .executeTakeFirstOrThrow()) as LeasedImport;
}
