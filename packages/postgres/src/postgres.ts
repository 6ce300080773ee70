import { DatabaseError, types, type Pool, type PoolClient } from "pg";
import type { Logger } from "@holdfast/service-runtime";
import { ObservedPool, READ_ONLY } from "./observed-pool.ts";
import { CONNECTION_TIMEOUT_MS } from "@holdfast/service-runtime";

/** No connection was available, so nothing was sent to the database: the work has certainly not started. */
export class DatabaseUnavailableError extends Error {
  override name = "DatabaseUnavailableError";
  readonly code = "database_unavailable";
}

export type PoolOptions = {
  url: string;
  connectionsMax: number;
  applicationName: string;
  log: Logger;
  /** A caller's longest wait for a connection. */
  connectionTimeoutMs?: number;
  /**
   * The longest wait for a statement; 0 is without end. One that the server never answers (a black-holed link) must not
   * occupy a connection forever.
   */
  queryTimeoutMs?: number;
  /** Server settings for each connection of the pool. */
  settings?: Readonly<Record<string, string>>;
};

/**
 * A command of a person or a Job waits instead: no request waits for it, and its only way after a refusal is to run
 * again.
 */
export const COMMAND_CONNECTION_TIMEOUT_MS = 30_000;

/** int8 arrives as bigint, by this pool's own parser, not by a process-wide one. */
export function createPool({
  url,
  connectionsMax,
  applicationName,
  log,
  connectionTimeoutMs = CONNECTION_TIMEOUT_MS,
  queryTimeoutMs = 10_000,
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
    query_timeout: queryTimeoutMs,
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format),
    },
  });
  // The next caller opens a new connection in place of an idle one that broke.
  pool.on("error", (error) => log.warn({ error }, "an idle database connection broke"));
  // The pool listens to idle connections only. One that breaks under a statement rejects it and also emits an error,
  // which would end the process without a listener.
  pool.on("connect", (connection) => void connection.on("error", () => {}));
  leaveStandbys(pool);
  return pool;
}

/**
 * After a failover a connection may lead to a server that accepts no writes, and would stay connected to it.
 * The first refused write closes all connections: idle ones immediately, the others when they are returned.
 */
function leaveStandbys(pool: Pool): void {
  const idle = new Set<PoolClient>();
  const used = new Set<PoolClient>();
  const leaving = new WeakSet<PoolClient>();
  pool.on("connect", (connection) => {
    connection.addListener(READ_ONLY, () => {
      for (const other of used) leaving.add(other);
      // The pool removes an idle connection that breaks.
      for (const other of idle) other.emit("error", new Error("its server takes no writes"));
    });
  });
  pool.on("acquire", (connection) => {
    idle.delete(connection);
    used.add(connection);
  });
  pool.on("release", (_, connection) => {
    used.delete(connection);
    idle.add(connection);
    // The pool keeps no connection that is ending.
    if (leaving.has(connection)) void connection.end();
  });
  pool.on("remove", (connection) => void idle.delete(connection));
}

/** @throws DatabaseUnavailableError when no connection is available. */
export async function acquireConnection(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (cause) {
    throw new DatabaseUnavailableError("no database connection", { cause });
  }
}

/**
 * The server itself gave up, and so has committed nothing: shutting down, out of connections or memory, past its
 * time-outs for statements and locks, or a standby (https://www.postgresql.org/docs/18/errcodes-appendix.html).
 */
export function isOutage({ code = "" }: DatabaseError): boolean {
  return code.startsWith("57") || code.startsWith("53") || code === "55P03" || code === "25006";
}

/**
 * True if a failed single-statement transaction is certain to have left nothing behind: it was never sent, or the
 * server itself answered with an error. Anything else (a broken connection, our own time-out) may have been committed.
 */
export function certainlyNotCommitted(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || error instanceof DatabaseError;
}

/**
 * Returns the answer of a command's first database work, or `not_started` if there is no connection for it.
 * It is only for work before anything is committed or sent: after that a missing connection leaves the
 * outcome unknown, and the error is thrown.
 */
export async function orNotStarted<Result>(
  work: () => Promise<Result>,
): Promise<Result | { outcome: "not_started" }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return { outcome: "not_started" };
    throw error;
  }
}
