import { sql } from "kysely";
import type { SchemaName } from "../database/provision-database.ts";
import { withRole } from "../database/with-role.ts";
import type { Trx } from "../erasure/erase-customer.ts";

/** A table whose rows leave with their payment: the rows that name one of `ids` in the column `of`. */
export type ArchivedTable = {
  schema: Extract<SchemaName, "payments" | "refunds">;
  name: string;
  /** The payment's id, or the refund's. */
  of: "payment_id" | "refund_id";
  /** The order of the rows of one payment, or of one refund. */
  order: string;
};

/** Parents before their children: so rows come back, and leave in the opposite order. */
export const ARCHIVED: readonly ArchivedTable[] = [
  { schema: "payments", name: "payment", of: "payment_id", order: "payment_id" },
  { schema: "payments", name: "payment_history", of: "payment_id", order: "version" },
  { schema: "payments", name: "bank_call", of: "payment_id", order: "number" },
  { schema: "payments", name: "payment_operation", of: "payment_id", order: "operation_id" },
  { schema: "payments", name: "payment_watch", of: "payment_id", order: "movement_id" },
  { schema: "payments", name: "refund_reservation", of: "payment_id", order: "refund_id" },
  { schema: "payments", name: "three_ds_session", of: "payment_id", order: "payment_id" },
  { schema: "refunds", name: "refund", of: "payment_id", order: "refund_id" },
  { schema: "refunds", name: "refund_history", of: "refund_id", order: "version" },
  { schema: "refunds", name: "refund_approval", of: "refund_id", order: "approved_by" },
];

/** Payments with a row here are not archived, and so neither are these: a case can be opened again by the bank for years. */
export const KEPT_WITH_THEIR_PAYMENTS: readonly string[] = [
  "payments.chargeback",
  "payments.chargeback_evidence",
  "payments.chargeback_line",
];

/** A row as text, in the order of its table's columns: exactly what PostgreSQL reads back. */
export type TextRow = (string | null)[];
export type Column = { name: string; type: string };

/** The columns of a table and their types, without those that are generated. */
export async function readColumns(trx: Trx, { schema, name }: ArchivedTable): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${`${schema}.${name}`}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`.execute(trx);
  return rows;
}

/** The rows of these payments, or of these refunds, in the order of `ids`. */
export async function readRows(
  trx: Trx,
  table: ArchivedTable,
  { columns, ids }: { columns: readonly Column[]; ids: readonly string[] },
): Promise<TextRow[]> {
  if (ids.length === 0) return [];
  await withRole(trx, table.schema);
  const texts = sql.join(columns.map(({ name }) => sql`${sql.ref(name)}::text`));
  const { rows } = await sql<{ row: TextRow }>`
    select array[${texts}] as row from ${sql.table(table.name)}
    where ${sql.ref(table.of)} = any(${ids}::uuid[])
    order by array_position(${ids}::uuid[], ${sql.ref(table.of)}), ${sql.ref(table.order)}`.execute(trx);
  return rows.map(({ row }) => row);
}

/**
 * Inserts the missing rows.
 * @param columns the catalogue's columns, whose types become SQL.
 */
export async function insertRows(
  trx: Trx,
  table: ArchivedTable,
  { columns, rows }: { columns: readonly Column[]; rows: readonly TextRow[] },
): Promise<void> {
  if (rows.length === 0) return;
  await withRole(trx, table.schema);
  const given = sql.join(columns.map((_, index) => sql`${rows.map((row) => row[index] ?? null)}::text[]`));
  const names = sql.join(columns.map(({ name }) => sql.ref(name)));
  const typed = sql.join(columns.map(({ name, type }) => sql`given.${sql.ref(name)}::${sql.raw(type)}`));
  await sql`
    insert into ${sql.table(table.name)} (${names})
    select ${typed} from unnest(${given}) as given(${names})
    on conflict do nothing`.execute(trx);
}

export async function deleteRows(trx: Trx, table: ArchivedTable, ids: readonly string[]): Promise<void> {
  await withRole(trx, table.schema);
  await sql`delete from ${sql.table(table.name)} where ${sql.ref(table.of)} = any(${ids}::uuid[])`.execute(
    trx,
  );
}
