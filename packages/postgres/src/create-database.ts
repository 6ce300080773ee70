import { Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
import { DatabaseError, type Pool, type PoolClient } from "pg";
import { acquireConnection } from "./postgres.ts";

/**
 * A service's database. A statement or transaction that gets no connection fails with `DatabaseUnavailableError`, so its
 * caller knows that nothing was sent: with pg's own error a request that began nothing would be answered as unknown.
 */
export function createDatabase<DB>(pool: Pool): Kysely<DB> {
  return new Kysely({
    dialect: new PostgresDialect({
      pool: {
        options: pool.options,
        connect: async () => discardedOnceBroken(await acquireConnection(pool)),
        end: () => pool.end(),
      },
    }),
  });
}

/**
 * A connection on which a statement failed without an answer from the server: our own time-out, or a broken link. The
 * statement may still be running, so the next one would wait behind it. It gets the same error immediately, a rollback
 * included, and the pool closes the connection.
 */
function discardedOnceBroken(connection: PoolClient): PostgresPoolClient {
  let broken: Error | undefined;
  const query = async (text: string, values?: readonly unknown[]) => {
    if (broken) throw broken;
    try {
      return await connection.query(text, values as unknown[]);
    } catch (error) {
      if (error instanceof Error && !(error instanceof DatabaseError)) broken = error;
      throw error;
    }
  };
  return {
    // Cursors are not used: there is no `cursor` in the dialect.
    query: query as unknown as PostgresPoolClient["query"],
    release: (destroy = false) => connection.release(destroy || broken !== undefined),
  };
}
