import { eventually } from "../support/index.ts";
import type { Client, DatabaseError } from "pg";

/** Writes into a table: a further row, by its number, and a change of an existing one. */
export type Writes = { table: string; insert: string; touch: string };

/** A session that writes as the services do, and all its failures, with the step under way. */
export type Writer = { client: Client; next: number; failures: Failure[] };

/** An error without a code is not the server's: the connection is gone, and later writes fail immediately. */
export type Failure = { during: string; table: string; code: string | undefined; message: string };

/**
 * True if the writer gets around all tables while the session of this id has its transaction open, or has to
 * wait.
 */
export type AsksWriter = (pid: number) => Promise<"passed" | "waits">;

/**
 * Writes into each table, round after round, as long as the work takes and the connection is there. Each statement is a
 * transaction, as short as a service's.
 */
export async function writeDuring<T>(
  given: { during: string; writer: Writer; watcher: Client; tables: readonly Writes[] },
  work: (asks: AsksWriter) => Promise<T>,
): Promise<T> {
  const { during, writer, watcher, tables } = given;
  let rounds = 0;
  const over = new AbortController();
  const { rows } = await writer.client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const writes = async () => {
    while (!over.signal.aborted && tables.length > 0) {
      const number = writer.next++;
      for (const { table, insert, touch } of tables) {
        // The victim of a deadlock tries again: without its row those that refer to it would fail, too.
        for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
          const failure = await failureOf(writer.client, { during, number, table, insert, touch });
          if (failure !== undefined) writer.failures.push(failure);
          if (failure !== undefined && failure.code === undefined) return;
          if (failure?.code !== DEADLOCK) break;
        }
      }
      rounds++;
    }
  };
  const written = writes();
  const asks: AsksWriter = async (pid) => {
    if (tables.length === 0) return "passed";
    // The round under way may have passed the locked table, so the one after it counts.
    const enough = rounds + 2;
    return await eventually(async () => {
      if (rounds >= enough) return "passed";
      const blocked = await watcher.query("select where $1 = any(pg_blocking_pids($2))", [pid, rows[0]!.pid]);
      return blocked.rowCount === 1 && "waits";
    });
  };
  try {
    return await work(asks);
  } finally {
    over.abort();
    await written;
  }
}

async function failureOf(
  client: Client,
  given: Writes & { during: string; number: number },
): Promise<Failure | undefined> {
  const { during, table, insert, touch, number } = given;
  try {
    await client.query(insert, [number, number]);
    await client.query(touch);
    return undefined;
  } catch (error) {
    const { code, message } = error as DatabaseError;
    return { during, table, code, message };
  }
}

/** SQLSTATE `deadlock_detected`. */
export const DEADLOCK = "40P01";

const ATTEMPTS_MAX = 10;
