import { withClient } from "@holdfast/sandbox/infrastructure";
import { Client, escapeIdentifier } from "pg";
import { eventually } from "./eventually.ts";
import type { TestDatabase } from "./test-database.ts";

/**
 * Keeps every connection of a service's pool in a statement that waits for `table`. The service has to have been
 * started after `letStatementsWait`.
 *
 * @returns the function that frees them.
 */
export async function occupyConnections(
  { superuserUrl }: TestDatabase,
  {
    table,
    applicationName,
    count,
    read,
  }: {
    table: string;
    applicationName: string;
    /** The size of the pool. */
    count: number;
    /** Asks the service for something that it reads from `table`. */
    read: () => Promise<unknown>;
  },
): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: superuserUrl });
  await holder.connect();
  const freed = new AbortController();
  const free = async () => {
    freed.abort();
    await holder.end();
  };
  const occupy = async () => {
    // A statement that ends by its own time-out leaves its place to another one.
    while (!freed.signal.aborted) await Promise.allSettled([read()]);
  };
  try {
    await holder.query("begin");
    await holder.query(`lock table ${table} in access exclusive mode`);
    const occupying = Array.from({ length: count }, occupy);
    await eventually(async () => {
      // A transaction continues seeing the connections there were at its first look.
      await holder.query("select pg_stat_clear_snapshot()");
      const { rows } = await holder.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and application_name = $1 and wait_event_type = 'Lock'`,
        [applicationName],
      );
      return rows[0]!.waiting >= count;
    });
    return async () => {
      await free();
      await Promise.all(occupying);
    };
  } catch (error) {
    // A lock that stayed would have every later test wait for it.
    await free();
    throw error;
  }
}

/**
 * The result of `working` while something is broken. It is mended in any case, since otherwise every later
 * test would fail.
 */
export async function mendAfter<T>(working: Promise<T>, mend: () => Promise<unknown>): Promise<T> {
  try {
    return await working;
  } finally {
    await mend();
  }
}

/** Makes a role's statements wait for locks without a limit, from its next connection on. */
export async function letStatementsWait(
  { superuserUrl, name }: TestDatabase,
  roleUrl: string,
): Promise<void> {
  const role = escapeIdentifier(new URL(roleUrl).username);
  await withClient(superuserUrl, async (client) => {
    for (const limit of ["lock_timeout", "statement_timeout"])
      await client.query(`alter role ${role} in database ${name} set ${limit} = 0`);
  });
}
