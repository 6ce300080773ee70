import type { ListPlace } from "@holdfast/contracts";
import { ofMode, utcMicroseconds } from "@holdfast/postgres";
import { sql, type RawBuilder, type SqlBool } from "kysely";
import { planList, type FilterName, type ListFilters } from "./plan-list.ts";

/** A listed table: payments or refunds, whose columns have the same names for the same meaning. */
export type ListTable = {
  name: string;
  /** Column of the id. */
  id: string;
  /** The status that merchants see, by the words of the index on it. */
  status: RawBuilder<string>;
  transactionType: RawBuilder<string>;
  /**
   * The text `true` for rows that count as sold, and for rows that a bank has answered; only payments have
   * them.
   */
  sold?: RawBuilder<string>;
  answered?: RawBuilder<string>;
  /** Rows that are in lists; undefined if all are. */
  shown?: RawBuilder<SqlBool>;
  /** The columns that are read of a row. */
  columns: RawBuilder<unknown>;
  /** Further tables that columns come from; they add no rows. */
  joins?: RawBuilder<unknown>;
  /** True if rows of one status are found by an index, where nothing more selective is named. */
  hasStatusIndex(filter: ListFilters): boolean;
};

export type ListQuery = {
  filter: ListFilters;
  /** The mode of the rows, for all merchants; undefined for both. A merchant's id has one mode itself. */
  livemode?: boolean | undefined;
  /** Undefined from the beginning. */
  after?: ListPlace | undefined;
  limit: number;
};

/** The columns that every list adds to its own. */
export type ListedColumns = {
  created_at_utc: string;
  listed_id: string;
  is_match: boolean;
  /** True if no row behind this one was compared: the list continues behind it, even if it does not match. */
  is_last_read: boolean;
};

/**
 * Rows of the list in its order, one more than requested. The inner select walks one index in the list's
 * order and is bounded: it compares at most {@link READ_PER_ROW} rows with the other filters for each
 * requested row. If it reaches the bound, it returns its last row even if that does not match, because the
 * list continues there.
 */
export function listStatement<Row>(table: ListTable, query: ListQuery): RawBuilder<Row & ListedColumns> {
  const { filter, limit } = query;
  const plan = planList(filter, table.hasStatusIndex(filter));
  const comparesNothing = plan.compared.length === 0;
  const readMax = limit * READ_PER_ROW;
  const order = orderOf(table, plan.keys);
  const found = sql`${foundRows(table, query, plan)} limit ${comparesNothing ? limit + 1 : readMax}`;
  const rows = comparesNothing
    ? found
    : sql`select *, row_number() over (order by ${order}) as place from (${found}) as found`;
  const matches = and(plan.compared.map((name) => conditionOf(table, name, filter[name]!)));
  const isLastRead = comparesNothing ? sql<SqlBool>`false` : sql<SqlBool>`place = ${readMax}`;
  return sql<Row & ListedColumns>`
    select ${table.columns}, ${utcMicroseconds("created_at")} as created_at_utc,
      ${sql.ref(`${table.name}.${table.id}`)} as listed_id,
      (${matches}) as is_match, ${isLastRead} as is_last_read
    from (${rows}) as ${sql.ref(table.name)} ${table.joins ?? sql``}
    where (${matches}) or ${isLastRead}
    order by ${order} limit ${limit + 1}`;
}

/** Rows that are read, at most, for each requested one. */
export const READ_PER_ROW = 50;

/**
 * Rows between two places of one index. The places express the equality of the keys instead of `=`, so that
 * the planner knows no other index with this order. Otherwise it would look for a large merchant's rows among
 * everybody's newest, and read all of them once that merchant has stopped.
 *
 * A place of the list lies within its range and replaces the range's bound on its side. With two bounds on
 * one side PostgreSQL would start at either, and walk from the beginning of the range to each page.
 */
function foundRows(
  table: ListTable,
  query: ListQuery,
  { keys, found }: { keys: FilterName[]; found: FilterName[] },
): RawBuilder<unknown> {
  const { from, to } = query.filter;
  const { after, livemode } = query;
  const comparisons = keys.map((name) => keyOf(table, name));
  const columns = comparisons.map(({ expression }) => expression);
  const here = sql`(${sql.join([...columns, sql`created_at`, sql.ref(table.id)])})`;
  const there = (at: string, id: string) => {
    const values = keys.map((name) => sql`${query.filter[name]!}::${keyOf(table, name).type}`);
    return sql`(${sql.join([...values, sql`${at}::timestamptz`, sql`${id}::uuid`])})`;
  };
  const place = after && there(after.createdAt, after.id);
  const conditions = [
    sql<SqlBool>`${here} >= ${there(from ?? "-infinity", LEAST_ID)}`,
    sql<SqlBool>`${here} < ${place ?? there(to ?? "infinity", LEAST_ID)}`,
    ...comparisons.flatMap(({ expression, isOptional }) =>
      isOptional ? [sql<SqlBool>`${expression} is not null`] : [],
    ),
    ...found.map((name) => conditionOf(table, name, query.filter[name]!)),
    ...(livemode === undefined || query.filter.merchantId !== undefined
      ? []
      : [ofMode("merchant_id", livemode)]),
    ...(table.shown ? [table.shown] : []),
  ];
  const selected = columns.map((column, index) => sql`${column} as ${keyColumn(index)}`);
  return sql`
    select ${sql.join([sql`${sql.ref(table.name)}.*`, ...selected])} from ${sql.table(table.name)}
    where ${and(conditions)} order by ${orderOf(table, keys)}`;
}

const LEAST_ID = "00000000-0000-0000-0000-000000000000";

/** All rows have the same keys. The order names them because it has to be the order of the index. */
function orderOf({ id }: ListTable, keys: FilterName[]): RawBuilder<unknown> {
  const columns = [...keys.map((_, index) => keyColumn(index)), sql`created_at`, sql.ref(id)];
  return sql.join(columns.map((column) => sql`${column} desc`));
}

function keyColumn(index: number): RawBuilder<unknown> {
  return sql.ref(`list_key_${index}`);
}

function and(conditions: RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

/** The expression that a filter compares, and the type of the given value. */
type Comparison = {
  expression: RawBuilder<unknown>;
  type: RawBuilder<unknown>;
  /** True for a column that few rows have; its index leaves the others out. */
  isOptional?: boolean;
  operator?: RawBuilder<unknown>;
};

/** The filter as the leading column of an index. */
function keyOf(table: ListTable, name: FilterName): Comparison {
  return COMPARISONS[name](table);
}

/** The filter as a condition on a row. */
function conditionOf(table: ListTable, name: FilterName, value: string): RawBuilder<SqlBool> {
  const { expression, type, operator = sql`=` } = COMPARISONS[name](table);
  const compared =
    operator === AT_LEAST || operator === AT_MOST ? inMinorUnits(value) : sql`${value}::${type}`;
  return sql<SqlBool>`${expression} ${operator} ${compared}`;
}

const AT_LEAST = sql`>=`;
const AT_MOST = sql`<=`;
const text = sql`text`;
const uuid = sql`uuid`;
const NONE = sql<string>`null`;

const COMPARISONS: Record<FilterName, (table: ListTable) => Comparison & { operator?: RawBuilder<unknown> }> =
  {
    merchantId: () => ({ expression: sql`merchant_id`, type: uuid }),
    parentPaymentId: () => ({ expression: sql`payment_id`, type: uuid }),
    externalTransactionId: () => ({ expression: sql`external_transaction_id`, type: text, isOptional: true }),
    orderId: () => ({ expression: sql`order_id`, type: text }),
    authCode: () => ({ expression: sql`auth_code`, type: text, isOptional: true }),
    customerId: () => ({ expression: sql`customer_id`, type: text, isOptional: true }),
    last4: () => ({ expression: sql`right(masked_pan, 4)`, type: text }),
    bin: () => ({ expression: sql`left(masked_pan, 6)`, type: text }),
    status: ({ status }) => ({ expression: status, type: text }),
    transactionType: ({ transactionType }) => ({ expression: transactionType, type: text }),
    accountId: () => ({ expression: sql`account_id`, type: uuid }),
    sold: ({ sold = NONE }) => ({ expression: sold, type: text }),
    answered: ({ answered = NONE }) => ({ expression: answered, type: text }),
    currency: () => ({ expression: sql`currency`, type: text }),
    amountFrom: () => ({ expression: sql`amount_minor`, type: text, operator: AT_LEAST }),
    amountTo: () => ({ expression: sql`amount_minor`, type: text, operator: AT_MOST }),
  };

/** Exact minor units, in each row's own currency. */
function inMinorUnits(amount: string): RawBuilder<unknown> {
  return sql`${amount}::numeric * power(10::numeric, currency_exponent)`;
}
