import { sql, type RawBuilder } from "kysely";

/** SQL for the database's time plus so many milliseconds; leases and schedules follow the database's clock. */
export function fromNow(ms: number): RawBuilder<Date> {
  return sql<Date>`now() + ${ms} * interval '1 millisecond'`;
}
