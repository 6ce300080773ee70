import type { ReadinessCheck } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import type { Pool } from "pg";
import { createDatabase } from "./create-database.ts";

/** The time by which the database's clock is ahead of this machine's. */
export type Measurement = {
  /** Rounded to whole milliseconds. */
  skewMs: number;
  /** The skew is off by at most this: half of the question's duration. */
  errorMs: number;
};

/** Asks the database for its time, and whether it takes writes. @param now this machine's epoch milliseconds. */
export async function askClock(
  db: Kysely<unknown>,
  now: () => number = () => Date.now(),
): Promise<Measurement & { isReadOnly: boolean }> {
  const askedAt = performance.now();
  const { rows } = await sql<{ now: number; is_read_only: boolean }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
      current_setting('transaction_read_only')::boolean as is_read_only`.execute(db);
  const errorMs = (performance.now() - askedAt) / 2;
  const { now: theirs, is_read_only: isReadOnly } = rows[0]!;
  return { skewMs: Math.round(theirs + errorMs - now()), errorMs, isReadOnly };
}

/** A standby answers questions, too, but takes no payment. Its own refusal has the pool leave it. */
const TAKES_WRITES = `do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise exception 'the server takes no writes' using errcode = '25006';
  end if;
end $$`;

/** A fiftieth of the two seconds that a clock may be off: no further question could change the decision. */
export const PRECISE_MS = 40;

/** The check for `/readyz` that the database takes writes. @param onPrecise gets its time where the answer is quick. */
export function databaseCheck(
  pool: Pool,
  { now, onPrecise }: { now?: (() => number) | undefined; onPrecise?: (measured: Measurement) => void } = {},
): ReadinessCheck {
  const db = createDatabase<unknown>(pool);
  return {
    name: "database",
    async check() {
      const { isReadOnly, ...measured } = await askClock(db, now);
      if (isReadOnly) {
        await pool.query(TAKES_WRITES);
        throw new Error("a server of the database takes no writes");
      }
      if (measured.errorMs <= PRECISE_MS) onPrecise?.(measured);
    },
  };
}
