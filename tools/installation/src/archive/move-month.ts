import { isDeepStrictEqual } from "node:util";
import { appendAudit, type AuditDatabase } from "@holdfast/audit";
import { failpoint } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import { withRole } from "../database/with-role.ts";
import type { Trx } from "../erasure/erase-customer.ts";
import { ArchiveDamagedError, readArchived, type Manifest, type RowReader } from "./archive-files.ts";
import { valuesOf } from "./archive-month.ts";
import {
  ARCHIVED,
  deleteRows,
  insertRows,
  readColumns,
  readRows,
  type ArchivedTable,
  type Column,
  type TextRow,
} from "./archived-tables.ts";
import { findUnended } from "./find-unended.ts";

export type Moving = { directory: string; manifest: Manifest; actor: string };
/**
 * The number of payments that this run moved, that earlier runs had moved, and that stay because their rows
 * differ from the archive.
 */
export type Moved = { moved: number; before: number; different: number };

/**
 * Removes archived payments from the database, in batches that are one transaction over both schemas each. A
 * payment is removed only if it has ended, and if all of its rows and its refunds' rows equal the files,
 * which are read back for the comparison. The next run continues an interrupted one.
 */
export async function detachMonth(db: Kysely<AuditDatabase>, moving: Moving): Promise<Moved> {
  return await move(db, moving, async (trx, archived) => {
    await withRole(trx, "payments");
    // A refund that is being reserved waits for this lock, and then finds no payment.
    await sql`select from payment where payment_id = any(${archived.map(({ id }) => id)}::uuid[]) order by payment_id
      for update`.execute(trx);
    const unended = new Set(
      (
        await findUnended(
          trx,
          archived.map(({ id }) => id),
        )
      ).map(({ paymentId }) => paymentId),
    );
    const stored = await readStored(trx, archived);
    const there = archived.filter(({ id }) => stored.get(id)!.rows.get(PAYMENT)!.length > 0);
    const same = there.filter(
      ({ id, rows }) => !unended.has(id) && isDeepStrictEqual(stored.get(id)!.rows, rows),
    );
    const ids = same.map(({ id }) => id);
    const refundIds = same.flatMap((each) => each.refundIds);
    for (const table of ARCHIVED.toReversed())
      await deleteRows(trx, table, table.of === "payment_id" ? ids : refundIds);
    await record(trx, "payments.archived", moving, same);
    return {
      moved: same.length,
      before: archived.length - there.length,
      different: there.length - same.length,
    };
  });
}

/** Brings archived rows back. An existing row stays as it is, and must be the same. */
export async function attachMonth(db: Kysely<AuditDatabase>, moving: Moving): Promise<Moved> {
  return await move(db, moving, async (trx, archived, columns) => {
    const stored = await readStored(trx, archived);
    const missing = archived.filter(({ id }) => stored.get(id)!.rows.get(PAYMENT)!.length === 0);
    for (const table of ARCHIVED) {
      const rows = missing.flatMap((each) => each.rows.get(table)!);
      await insertRows(trx, table, { columns: columns.get(table)!, rows });
    }
    const back = await readStored(trx, archived);
    const different = archived.filter(({ id, rows }) => !isDeepStrictEqual(back.get(id)!.rows, rows));
    const wrong = different.filter((each) => missing.includes(each));
    if (wrong.length > 0)
      throw new Error(`payment ${wrong[0]!.id} is not what was archived after it was brought back`);
    await record(trx, "payments.attached", moving, missing);
    return {
      moved: missing.length,
      before: archived.length - missing.length - different.length,
      different: different.length,
    };
  });
}

/** A payment with all of its rows. */
type Whole = { id: string; refundIds: string[]; rows: Map<ArchivedTable, TextRow[]> };
type Columns = Map<ArchivedTable, readonly Column[]>;

const PAYMENT = ARCHIVED.find(({ name }) => name === "payment")!;
const REFUND = ARCHIVED.find(({ name }) => name === "refund")!;
const BATCH = 200;

async function move(
  db: Kysely<AuditDatabase>,
  { directory, manifest }: Moving,
  batchOf: (trx: Trx, archived: Whole[], columns: Columns) => Promise<Moved>,
): Promise<Moved> {
  const readers = new Map(ARCHIVED.map((table) => [table, readArchived(directory, manifest, table)]));
  const columns = await db.transaction().execute((trx) => readKnownColumns(trx, readers));
  const total: Moved = { moved: 0, before: 0, different: 0 };
  for (;;) {
    const payments = await readers.get(PAYMENT)!.takeWhile(() => true, BATCH);
    if (payments.length === 0) return total;
    const owners = new Map(valuesOf(payments, columns.get(PAYMENT)!, "payment_id").map((id) => [id, id]));
    const archived = wholes([...owners.keys()]);
    for (const table of ARCHIVED) {
      const index = columns.get(table)!.findIndex(({ name }) => name === table.of);
      const rows =
        table === PAYMENT ? payments : await readers.get(table)!.takeWhile((row) => owners.has(row[index]!));
      distribute(archived, { table, rows, owners, columns });
    }
    const moved = await db.transaction().execute((trx) => batchOf(trx, [...archived.values()], columns));
    for (const key of ["moved", "before", "different"] as const) total[key] += moved[key];
    await failpoint("installation.after_archive_batch");
  }
}

/**
 * The columns of each file as the catalogue describes them: no text of a manifest becomes SQL.
 *
 * @throws ArchiveDamagedError for a column that the table does not have, or has with another type.
 */
async function readKnownColumns(trx: Trx, readers: Map<ArchivedTable, RowReader>): Promise<Columns> {
  const known: Columns = new Map();
  for (const [table, { columns }] of readers) {
    await withRole(trx, table.schema);
    const here = new Map((await readColumns(trx, table)).map((column) => [column.name, column]));
    known.set(
      table,
      columns.map(({ name, type }) => {
        const column = here.get(name);
        if (column?.type === type) return column;
        throw new ArchiveDamagedError(
          `${table.schema}.${table.name} has no column ${JSON.stringify(name)} of type ${JSON.stringify(type)}`,
        );
      }),
    );
  }
  return known;
}

function wholes(ids: readonly string[]): Map<string, Whole> {
  return new Map(
    ids.map((id) => [id, { id, refundIds: [], rows: new Map(ARCHIVED.map((table) => [table, []])) }]),
  );
}

/** Gives each payment its rows of a table. @param owners the payment of each id, to which refunds are added. */
function distribute(
  to: Map<string, Whole>,
  {
    table,
    rows,
    owners,
    columns,
  }: { table: ArchivedTable; rows: TextRow[]; owners: Map<string, string>; columns: Columns },
): void {
  const ids = valuesOf(rows, columns.get(table)!, table.of);
  const refundIds = table === REFUND ? valuesOf(rows, columns.get(table)!, "refund_id") : [];
  for (const [index, row] of rows.entries()) {
    const whole = to.get(owners.get(ids[index]!)!)!;
    whole.rows.get(table)!.push(row);
    if (table !== REFUND) continue;
    whole.refundIds.push(refundIds[index]!);
    owners.set(refundIds[index]!, whole.id);
  }
}

/** The stored rows of the archived payments. */
async function readStored(trx: Trx, archived: readonly Whole[]): Promise<Map<string, Whole>> {
  const stored = wholes(archived.map(({ id }) => id));
  const owners = new Map(archived.map(({ id }) => [id, id]));
  for (const table of ARCHIVED) {
    await withRole(trx, table.schema);
    const columns = await readColumns(trx, table);
    const ids = [...stored.values()].flatMap((whole) =>
      table.of === "payment_id" ? [whole.id] : whole.refundIds,
    );
    const rows = await readRows(trx, table, { columns, ids });
    distribute(stored, { table, rows, owners, columns: new Map([[table, columns]]) });
  }
  return stored;
}

async function record(
  trx: Trx,
  action: string,
  { manifest, actor }: Moving,
  moved: readonly Whole[],
): Promise<void> {
  if (moved.length === 0) return;
  const refunds = moved.reduce((sum, { refundIds }) => sum + refundIds.length, 0);
  for (const schema of ["payments", "refunds"] as const) {
    await withRole(trx, schema);
    const detail = { payments: moved.length, refunds };
    await appendAudit(trx, { actor, action, subject: manifest.month, detail });
  }
}
