import { appendAudit, type AuditDatabase } from "@holdfast/audit";
import { sql, type Kysely } from "kysely";
import { withRole } from "../database/with-role.ts";
import type { Trx } from "../erasure/erase-customer.ts";
import { createArchive } from "./archive-files.ts";
import { ARCHIVED, readColumns, readRows, type TextRow } from "./archived-tables.ts";
import { findUnended } from "./find-unended.ts";

/**
 * The number of archived payments, and the numbers of the month's other payments by the reason why they stay.
 */
export type Written = { payments: number; staying: Map<string, number> };

/**
 * Writes the ended payments of a month (`2025-01`) with all that belongs to them into a directory. The rows stay. The audit
 * log has the manifest's SHA-256, so that files of another origin are recognized.
 */
export async function writeMonth(
  db: Kysely<AuditDatabase>,
  { month, directory, actor }: { month: string; directory: string; actor: string },
): Promise<Written> {
  const tables = await db.transaction().execute(async (trx) => {
    const described = [];
    for (const table of ARCHIVED) {
      await withRole(trx, table.schema);
      described.push({ table, columns: await readColumns(trx, table) });
    }
    return described;
  });
  await using archive = await createArchive(directory, tables);
  const written: Written = { payments: 0, staying: new Map() };
  let after: Place = { createdAt: "-infinity", paymentId: "00000000-0000-0000-0000-000000000000" };
  for (;;) {
    // All rows of a batch are of one moment.
    const batch = await db
      .transaction()
      .setIsolationLevel("repeatable read")
      .execute(async (trx) => {
        const page = await readPage(trx, month, after);
        const unended = await findUnended(
          trx,
          page.map(({ paymentId }) => paymentId),
        );
        const staying = new Map(unended.map(({ paymentId, why }) => [paymentId, why]));
        const ids = page.map(({ paymentId }) => paymentId).filter((id) => !staying.has(id));
        const rows = new Map<(typeof tables)[number], TextRow[]>();
        let refundIds: string[] = [];
        for (const each of tables) {
          const { table, columns } = each;
          const found = await readRows(trx, table, {
            columns,
            ids: table.of === "payment_id" ? ids : refundIds,
          });
          rows.set(each, found);
          if (table.name === "refund") refundIds = valuesOf(found, columns, "refund_id");
        }
        return { page, staying, ids, rows };
      });
    for (const [{ table }, rows] of batch.rows) await archive.write(table, rows);
    written.payments += batch.ids.length;
    for (const why of batch.staying.values()) written.staying.set(why, (written.staying.get(why) ?? 0) + 1);
    if (batch.page.length < BATCH) break;
    after = batch.page.at(-1)!;
  }
  await archive.finish(month, async (manifest) => {
    await db.transaction().execute(async (trx) => {
      await withRole(trx, "payments");
      const detail = { manifest, payments: written.payments };
      await appendAudit(trx, { actor, action: "payments.archive_written", subject: month, detail });
    });
  });
  return written;
}

/** The manifest that this installation wrote last for a month; undefined if it wrote none. */
export async function lastWritten(db: Kysely<AuditDatabase>, month: string): Promise<string | undefined> {
  return await db.transaction().execute(async (trx) => {
    await withRole(trx, "payments");
    const { rows } = await sql<{ manifest: string }>`
      select detail::jsonb ->> 'manifest' as manifest from audit_entry
      where action = 'payments.archive_written' and subject = ${month}
      order by sequence desc limit 1`.execute(trx);
    return rows[0]?.manifest;
  });
}

const BATCH = 500;

/** The values of one column. */
export function valuesOf(
  rows: readonly TextRow[],
  columns: readonly { name: string }[],
  name: string,
): string[] {
  const index = columns.findIndex((column) => column.name === name);
  return rows.map((row) => row[index]!);
}

type Place = { createdAt: string; paymentId: string };

async function readPage(trx: Trx, month: string, after: Place): Promise<Place[]> {
  await withRole(trx, "payments");
  const first = sql`${`${month}-01T00:00:00Z`}::timestamptz`;
  const { rows } = await sql<Place>`
    select created_at::text as "createdAt", payment_id as "paymentId" from payment
    where created_at >= ${first} and created_at < (${first} at time zone 'UTC' + interval '1 month') at time zone 'UTC'
      and (created_at, payment_id) > (${after.createdAt}::timestamptz, ${after.paymentId}::uuid)
    order by created_at, payment_id limit ${BATCH}`.execute(trx);
  return rows;
}
