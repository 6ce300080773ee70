import { Kysely, PostgresDialect } from "kysely";
import type { Pool } from "pg";
import { acquireConnection } from "./postgres.ts";

/**
 * A service's database. A statement or transaction that gets no connection fails with `DatabaseUnavailableError`, so its
 * caller knows that nothing was sent: with pg's own error a request that began nothing would be answered as unknown.
 */
export function createDatabase<DB>(pool: Pool): Kysely<DB> {
  return new Kysely({
    dialect: new PostgresDialect({
      pool: { options: pool.options, connect: () => acquireConnection(pool), end: () => pool.end() },
    }),
  });
}
