import { withClient } from "@holdfast/sandbox/infrastructure";
import { Client, escapeIdentifier } from "pg";
import { eventually } from "./eventually.ts";
import type { TestDatabase } from "./test-database.ts";

/**
 * Keeps every connection of a service in a statement that waits for `table`. The service has to have periodic work on
 * that table, and to have been started after `letStatementsWait`.
 *
 * @returns what frees them.
 */
export async function occupyConnections(
  { superuserUrl }: TestDatabase,
  { table, applicationName, count }: { table: string; applicationName: string; count: number },
): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString: superuserUrl });
  await holder.connect();
  await holder.query("begin");
  await holder.query(`lock table ${table} in access exclusive mode`);
  await eventually(async () => {
    const { rows } = await holder.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and application_name = $1 and wait_event_type = 'Lock'`,
      [applicationName],
    );
    return rows[0]?.waiting === count;
  });
  return () => holder.end();
}

/** From its next connection on, a role's statements wait for locks without a limit. */
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
