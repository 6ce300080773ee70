import type { ListPlace } from "@holdfast/contracts";
import { utcMicroseconds } from "@holdfast/service-runtime";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import { planList, type FilterName, type ListFilters } from "./plan-list.ts";

/** A table whose rows are listed: payments or refunds, whose columns have the same names where they mean the same. */
export type ListTable = {
  name: string;
  /** Column of the id. */
  id: string;
  /** The status that merchants see, by the words of the index on it. */
  status: RawBuilder<string>;
  transactionType: RawBuilder<string>;
  /** Rows that are in lists; undefined where all are. */
  shown?: RawBuilder<SqlBool>;
  /** What is read of a row. */
  columns: RawBuilder<unknown>;
  /** Tables that columns come from, too; they add no rows. */
  joins?: RawBuilder<unknown>;
  /** Whether rows of one status are found by an index, where nothing more selective is named. */
  hasStatusIndex(filter: ListFilters): boolean;
};

export type ListQuery = {
  filter: ListFilters;
  /** Undefined from the beginning. */
  after?: ListPlace | undefined;
  limit: number;
  oldestFirst?: boolean;
};

/** The columns that every list adds to its own. */
export type ListedColumns = {
  created_at_utc: string;
  listed_id: string;
  is_match: boolean;
  /** Whether no row behind this one was compared; whether it matches or not, the list continues behind it. */
  is_last_read: boolean;
};

/**
 * Rows of the list in its order, one more than asked for. The inner select has conditions of one index alone and its
 * order, so that it reads nothing in vain, and a bound: of what it finds no more than {@link READ_PER_ROW} rows for each
 * row that was asked for are compared with the other filters. Where that many were, the last of them comes along, whether
 * it matches or not: the list continues there.
 */
export function listStatement<Row>(table: ListTable, query: ListQuery): RawBuilder<Row & ListedColumns> {
  const { filter, limit } = query;
  const { found, compared } = planList(filter, table.hasStatusIndex(filter));
  const order = orderOf(table, query);
  const matches = and(conditionsOf(table, filter, compared));
  const window =
    compared.length === 0
      ? sql`(${foundRows(table, query, found)} limit ${limit + 1})`
      : sql`(
          select *, row_number() over (order by ${order}) as place
          from (${foundRows(table, query, found)} limit ${limit * READ_PER_ROW}) as found)`;
  const isLastRead =
    compared.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`place = ${limit * READ_PER_ROW}`;
  return sql<Row & ListedColumns>`
    select ${table.columns}, ${utcMicroseconds("created_at")} as created_at_utc,
      ${sql.ref(`${table.name}.${table.id}`)} as listed_id,
      (${matches}) as is_match, ${isLastRead} as is_last_read
    from ${window} as ${sql.ref(table.name)} ${table.joins ?? sql``}
    where (${matches}) or ${isLastRead}
    order by ${order} limit ${limit + 1}`;
}

/** Rows that are read, at most, for each one that was asked for. */
export const READ_PER_ROW = 50;

function foundRows(table: ListTable, query: ListQuery, found: FilterName[]): RawBuilder<unknown> {
  const { from, to } = query.filter;
  const conditions = [
    ...conditionsOf(table, query.filter, found),
    ...(from === undefined ? [] : [sql<SqlBool>`created_at >= ${from}::timestamptz`]),
    ...(to === undefined ? [] : [sql<SqlBool>`created_at < ${to}::timestamptz`]),
    ...(query.after === undefined ? [] : [isBehind(table, query, query.after)]),
    ...(table.shown ? [table.shown] : []),
  ];
  return sql`select * from ${sql.table(table.name)} where ${and(conditions)} order by ${orderOf(table, query)}`;
}

function isBehind(table: ListTable, { oldestFirst }: ListQuery, after: ListPlace): RawBuilder<SqlBool> {
  const here = sql`(created_at, ${sql.ref(`${table.name}.${table.id}`)})`;
  const there = sql`(${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  return oldestFirst ? sql<SqlBool>`${here} > ${there}` : sql<SqlBool>`${here} < ${there}`;
}

function orderOf({ id }: ListTable, { oldestFirst }: ListQuery): RawBuilder<unknown> {
  const direction = oldestFirst ? sql`asc` : sql`desc`;
  return sql`created_at ${direction}, ${sql.ref(id)} ${direction}`;
}

function and(conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

function conditionsOf(table: ListTable, filter: ListFilters, names: FilterName[]): RawBuilder<SqlBool>[] {
  return names.map((name) => CONDITIONS[name](filter[name]!, table));
}

const CONDITIONS: Record<FilterName, (value: string, table: ListTable) => RawBuilder<SqlBool>> = {
  merchantId: (id) => sql`merchant_id = ${id}::uuid`,
  parentPaymentId: (id) => sql`payment_id = ${id}::uuid`,
  externalTransactionId: (id) => sql`external_transaction_id = ${id}`,
  orderId: (id) => sql`order_id = ${id}`,
  authCode: (code) => sql`auth_code = ${code}`,
  customerId: (id) => sql`customer_id = ${id}`,
  last4: (digits) => sql`right(masked_pan, 4) = ${digits}`,
  bin: (digits) => sql`left(masked_pan, 6) = ${digits}`,
  status: (status, table) => sql`${table.status} = ${status}`,
  transactionType: (type, table) => sql`${table.transactionType} = ${type}`,
  currency: (currency) => sql`currency = ${currency}`,
  amountFrom: (amount) => sql`amount_minor >= ${inMinorUnits(amount)}`,
  amountTo: (amount) => sql`amount_minor <= ${inMinorUnits(amount)}`,
};

/** Exact, of each row's own currency. */
function inMinorUnits(amount: string): RawBuilder<unknown> {
  return sql`${amount}::numeric * power(10::numeric, currency_exponent)`;
}
