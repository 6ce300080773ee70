import { withClient } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";

/** The work of one session, whichever it is. */
export type Task = (client: Client) => Promise<void>;

/**
 * Has sessions of the database take tasks in their order, each the next one when it is done with its last. Where one
 * fails, no further task begins.
 */
export async function inSessions(
  { databaseUrl, sessions, first }: { databaseUrl: string; sessions: number; first: readonly string[] },
  tasks: readonly Task[],
): Promise<void> {
  const waiting = tasks.values();
  const workers = Array.from({ length: Math.min(sessions, tasks.length) }, () =>
    withClient(databaseUrl, async (client) => {
      for (const statement of first) await client.query(statement);
      for (const task of waiting) await task(client);
    }),
  );
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
