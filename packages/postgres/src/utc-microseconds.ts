import { sql, type RawBuilder } from "kysely";

/** A timestamp column as ISO 8601 text in UTC with all of its microseconds, which a `Date` would cut. */
export function utcMicroseconds(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
