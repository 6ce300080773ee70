import { DatabaseError, types, type Pool, type PoolClient } from "pg";
import type { Logger } from "./logger.ts";
import { ObservedPool } from "./observed-pool.ts";

/**
 * No connection could be had, so nothing was sent to the database: certainly not started.
 */
export class DatabaseUnavailableError extends Error {
  override name = "DatabaseUnavailableError";
  readonly code = "database_unavailable";
}

export type PoolOptions = {
  url: string;
  connectionsMax: number;
  applicationName: string;
  log: Logger;
  /** How long a caller waits for a connection. */
  connectionTimeoutMs?: number;
  /** Server settings for each connection of the pool. */
  settings?: Readonly<Record<string, string>>;
};

/** Services fail fast: a caller that gets no connection within a second is answered so (503) instead of queueing. */
export const CONNECTION_TIMEOUT_MS = 1_000;

/** int8 arrives as bigint, by this pool's own parser, not by a process-wide one. */
export function createPool({
  url,
  connectionsMax,
  applicationName,
  log,
  connectionTimeoutMs = CONNECTION_TIMEOUT_MS,
  settings = {},
}: PoolOptions): Pool {
  const pool = new ObservedPool(applicationName, {
    connectionString: url,
    max: connectionsMax,
    application_name: applicationName,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // A statement the server never answers (a black-holed link) must not hold a connection for ever.
    query_timeout: 10_000,
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format),
    },
  });
  // An idle connection that breaks is replaced by the next caller's.
  pool.on("error", (error) => log.warn({ error }, "an idle database connection broke"));
  // The pool listens to idle connections only. One that breaks under a statement rejects it, and also says so itself:
  // unheard that would end the process.
  pool.on("connect", (connection) => void connection.on("error", () => {}));
  return pool;
}

/** @throws DatabaseUnavailableError when no connection can be had. */
export async function acquireConnection(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw new DatabaseUnavailableError("no database connection", { cause });
  }
}

/**
 * Whether a failed single-statement transaction is certain to have left nothing behind: it was never sent, or the
 * server itself answered with an error. Anything else (a broken connection, our own time-out) may have been committed.
 */
export function certainlyNotCommitted(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || error instanceof DatabaseError;
}
