import { nameOf } from "@holdfast/contracts";
import { appendAudit } from "@holdfast/audit";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable, type Transaction, type Updateable } from "kysely";
import { DatabaseError } from "pg";
import type { SettlementDatabase } from "../database.ts";
import { firstDaysOf } from "./first-days.ts";
import type { ImportTable, LineFaultTable } from "./import-table.ts";
import { ADD_FAULTS, ADD_LINES, FAULT_COLUMNS, LINE_COLUMNS, type GivenLine } from "./line-statements.ts";
import type { LineBatch, LineFault, SettlementLine } from "./settlement-line.ts";

export type ImportRow = Selectable<ImportTable>;
/** An import that this process reads. */
export type LeasedImport = ImportRow & { lease_token: string };

/** Another process has taken the import over, or it has ended. */
export class ImportLostError extends Error {
  override name = "ImportLostError";
  readonly code = "import_lost";
}

/** A connection, or a transaction, that lines are written by. */
export type LineWriter = {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rowCount: number | null }>;
};

/** @throws ImportLostError where the lease is gone. */
export async function addBatch(
  pool: LineWriter,
  { import_id, lease_token }: Pick<LeasedImport, "import_id" | "lease_token">,
  { lines, faults }: LineBatch,
): Promise<void> {
  const added = await pool.query({
    ...ADD_LINES,
    values: [import_id, lease_token, ...columnsOf(import_id, lines)],
  });
  const unread = faults.map(faultOf);
  const noted = await pool.query({
    ...ADD_FAULTS,
    values: [import_id, lease_token, ...FAULT_COLUMNS.map(([column]) => unread.map((row) => row[column]))],
  });
  if (added.rowCount !== lines.length || noted.rowCount !== faults.length)
    throw new ImportLostError(`import ${import_id} is read by another process, or has ended`);
}

const REASON_MAX = 200;

function columnsOf(importId: string, lines: readonly SettlementLine[]): unknown[][] {
  const rows = lines.map((line) => rowOf(importId, line));
  return LINE_COLUMNS.map(([column]) => rows.map((row) => row[column]));
}

function faultOf({ lineNo, reason, read = {} }: LineFault): Omit<LineFaultTable, "import_id"> {
  return {
    line_no: lineNo,
    reason: reason.slice(0, REASON_MAX),
    kind: read.kind ?? null,
    reference_id: read.referenceId ?? null,
    stake_minor: read.stakeMinor ?? null,
    gross_minor: read.grossMinor ?? null,
    currency: read.currency ?? null,
    day: read.day ?? null,
    payout_id: read.payoutId ?? null,
  };
}

/** A payout without an id is a payout of its own. */
function payoutIdOf(
  importId: string,
  { kind, payoutId, bankReference, lineNo }: SettlementLine,
): string | null {
  if (payoutId !== undefined || kind !== "PAYOUT") return payoutId ?? null;
  return bankReference ?? `${importId}:${lineNo}`;
}

function rowOf(importId: string, line: SettlementLine): GivenLine {
  return {
    line_no: line.lineNo,
    kind: line.kind,
    reference: line.reference ?? null,
    reference_id: line.referenceId ?? null,
    bank_reference: line.bankReference ?? null,
    auth_code: line.authCode ?? null,
    masked_pan: line.maskedPan ?? null,
    item: line.item ?? null,
    installment: line.installment ?? null,
    installments: line.installments ?? null,
    gross_minor: line.grossMinor,
    fee_minor: line.feeMinor,
    net_minor: line.netMinor,
    currency: line.currency,
    transacted_at: line.transactedAt ?? null,
    settles_on: line.settlesOn ?? null,
    payout_id: payoutIdOf(importId, line),
    note: line.note?.slice(0, REASON_MAX) ?? null,
  };
}

/** Lengthens the lease. @returns whether it was still there. */
export async function keepLease(
  db: Kysely<SettlementDatabase>,
  { import_id, lease_token }: LeasedImport,
  leaseMs: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("import")
    .set({ lease_until: fromNow(leaseMs) })
    .where("import_id", "=", import_id)
    .where("lease_token", "=", lease_token)
    .where("state", "=", "READING")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export type Taken = { lines: number; faults: number; bytes: bigint; sha256: Buffer; mappingVersion: number };

/** Ends the reading of a file whose lines count once a person confirms them. @throws ImportLostError */
export async function endAsProposed(
  db: Kysely<SettlementDatabase>,
  leased: LeasedImport,
  { senderConfirms: sender_confirms, ...read }: Taken & { senderConfirms: boolean },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const change = { state: "PROPOSED", ended_at: null, sender_confirms, ...columnsOfRead(read) } as const;
    const row = await end(trx, leased, change);
    await audit(trx, row, { actor: nameOf(row.imported_by), action: "settlement.proposed" });
  });
}

/**
 * Makes all lines count, by one update, or none.
 *
 * @returns the import that has counted the same file before; undefined if this one counts.
 * @throws ImportLostError
 */
export async function endAsTaken(
  db: Kysely<SettlementDatabase>,
  leased: LeasedImport,
  read: Taken,
): Promise<string | undefined> {
  return await onlyOnce(db, leased.account_id, read.sha256, async (trx) => {
    const row = await end(trx, leased, { state: "TAKEN", ...columnsOfRead(read) });
    await count(trx, row, nameOf(row.imported_by));
  });
}

function columnsOfRead({ mappingVersion: mapping_version, lines, faults, bytes, sha256 }: Taken) {
  return { mapping_version, lines, faults, bytes, sha256 };
}

/** Has the account compared from its first line on. The import is TAKEN in this transaction. */
export async function count(
  trx: Transaction<SettlementDatabase>,
  row: ImportRow,
  actor: string,
): Promise<void> {
  const since = await firstDaysOf(trx, row.import_id);
  await sql`
    update account set compared_since = least(compared_since, ${since.moved}::date),
      payouts_since = least(payouts_since, ${since.paid}::date)
    where account_id = ${row.account_id}`.execute(trx);
  await audit(trx, row, { actor, action: "settlement.imported" });
}

async function audit(
  trx: Transaction<SettlementDatabase>,
  row: ImportRow,
  { actor, action }: { actor: string; action: string },
): Promise<void> {
  await appendAudit(trx, {
    actor,
    action,
    subject: row.import_id,
    detail: {
      account: row.account_id,
      importedBy: nameOf(row.imported_by),
      mapping: row.mapping,
      mappingVersion: row.mapping_version,
      sha256: row.sha256?.toString("hex"),
      bytes: Number(row.bytes),
      lines: row.lines,
      faults: row.faults,
    },
  });
}

/** @returns the import that has taken the same file before; undefined if `take` was committed. */
export async function onlyOnce(
  db: Kysely<SettlementDatabase>,
  accountId: string,
  sha256: Buffer,
  take: (trx: Transaction<SettlementDatabase>) => Promise<void>,
): Promise<string | undefined> {
  try {
    await db.transaction().execute(take);
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.constraint !== "import_once") throw error;
    return (await findTaken(db, accountId, sha256)) ?? "another import";
  }
}

/** The import that has taken this file for this account. */
export async function findTaken(
  db: Kysely<SettlementDatabase>,
  accountId: string,
  sha256: Buffer,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("import")
    .select("import_id")
    .where("account_id", "=", accountId)
    .where("sha256", "=", sha256)
    .where("state", "=", "TAKEN")
    .executeTakeFirst();
  return row?.import_id;
}

/**
 * Ends an import, unless it has ended meanwhile. An import that is being read has to belong to this process.
 * @throws ImportLostError
 */
async function end(
  trx: Transaction<SettlementDatabase>,
  { import_id, state, lease_token }: ImportRow,
  change: Updateable<SettlementDatabase["import"]>,
): Promise<ImportRow> {
  const row = await trx
    .updateTable("import")
    .set({ ended_at: sql`now()`, ...change, lease_token: null, lease_until: null })
    .where("import_id", "=", import_id)
    .where("lease_token", "is not distinct from", lease_token)
    .where("state", "=", state)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new ImportLostError(`import ${import_id} was lost`);
  return row;
}

type Refusal = { reason: string; detail: string; sha256?: Buffer | undefined; actor?: string };

/** Ends an import whose lines do not count, and then removes them. @throws ImportLostError */
export async function endAsRefused(
  db: Kysely<SettlementDatabase>,
  given: ImportRow,
  { reason, detail, sha256, actor = nameOf(given.imported_by) }: Refusal,
): Promise<ImportRow> {
  const ended = await db.transaction().execute(async (trx) => {
    const row = await end(trx, given, {
      state: "REFUSED",
      reason,
      detail: detail.slice(0, DETAIL_MAX),
      ...(sha256 && { sha256 }),
    });
    await appendAudit(trx, {
      actor,
      action: "settlement.refused",
      subject: row.import_id,
      detail: { account: row.account_id, mapping: row.mapping, sha256: row.sha256?.toString("hex"), reason },
    });
    return row;
  });
  await removeLines(db, ended);
  return ended;
}

const DETAIL_MAX = 1_000;

/** Removes the lines of an import that was refused, or that this process reads, so many rows at a time. */
export async function removeLines(
  db: Kysely<SettlementDatabase>,
  { import_id, lease_token }: Pick<ImportRow, "import_id" | "lease_token">,
): Promise<void> {
  for (const table of ["line", "line_fault"] as const) {
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        delete from ${sql.table(table)} where ctid in (
          select ctid from ${sql.table(table)} where import_id = ${import_id}
            and exists (select from import where import_id = ${import_id}
              and (state = 'REFUSED' or state = 'READING' and lease_token = ${lease_token}))
          limit ${REMOVED_AT_A_TIME})`.execute(db);
      if (numAffectedRows < BigInt(REMOVED_AT_A_TIME)) break;
    }
  }
}

const REMOVED_AT_A_TIME = 10_000;

/** Removes the lines that a process has left which died between a refusal and the end of their removal. */
export async function removeLeftLines(db: Kysely<SettlementDatabase>): Promise<void> {
  const { rows } = await sql<ImportRow>`
    select * from import where state = 'REFUSED'
      and (exists (select from line where line.import_id = import.import_id)
        or exists (select from line_fault where line_fault.import_id = import.import_id))`.execute(db);
  for (const row of rows) await removeLines(db, row);
}
