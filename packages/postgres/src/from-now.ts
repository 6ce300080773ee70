import { sql, type RawBuilder } from "kysely";

/** SQL for the database's time plus a number of milliseconds; leases and schedules follow the database's clock. */
export function fromNow(ms: number): RawBuilder<Date> {
  return sql<Date>`now() + ${ms} * interval '1 millisecond'`;
}

/**
 * SQL for the milliseconds until the earliest time in a column, by the database's clock; null if the column
 * has none.
 */
export function msUntilFirst(column: string): RawBuilder<number | null> {
  return sql<number | null>`extract(epoch from min(${sql.ref(column)}) - now())::float8 * 1000`;
}

/** SQL for the milliseconds since a time, by the database's clock; null if there is no time. */
export function msSince<Ms extends number | null = number>(column: string): RawBuilder<Ms> {
  return sql<Ms>`extract(epoch from now() - ${sql.ref(column)})::float8 * 1000`;
}
