import { sql, type RawBuilder } from "kysely";

/** SQL for the database's time plus a number of milliseconds; leases and schedules follow the database's clock. */
export function fromNow(ms: number): RawBuilder<Date> {
  return sql<Date>`now() + ${ms} * interval '1 millisecond'`;
}

/** SQL for the milliseconds until the first of these times, by the database's clock; null where there is none. */
export function msUntilFirst(column: string): RawBuilder<number | null> {
  return sql<number | null>`extract(epoch from min(${sql.ref(column)}) - now())::float8 * 1000`;
}

/** SQL for the milliseconds that have passed since a time, by the database's clock; null where there is none. */
export function msSince<Ms extends number | null = number>(column: string): RawBuilder<Ms> {
  return sql<Ms>`extract(epoch from now() - ${sql.ref(column)})::float8 * 1000`;
}
