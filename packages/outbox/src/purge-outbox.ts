import { sql, type Kysely } from "kysely";
import type { OutboxTable } from "./outbox-table.ts";

/**
 * Deletes confirmed events that are older than `olderThanMs`, a page at a time, oldest first. An unconfirmed
 * event stays, however old it is. Any number of processes may run this side by side: one deletes a page, and
 * the others find nothing to delete.
 *
 * @returns the number of deleted events.
 */
export async function purgeOutbox<DB extends { outbox: OutboxTable }>(
  db: Kysely<DB>,
  { olderThanMs, rowsMax = PURGE_BATCH }: { olderThanMs: number; rowsMax?: number },
): Promise<number> {
  let purged = 0;
  let after: string | null = BEFORE_ALL;
  while (after !== null) {
    const { rows }: { rows: Page[] } = await sql<Page>`
      select deleted, reached
      from purge_outbox(${olderThanMs} * interval '1 millisecond', ${after}, ${rowsMax})`.execute(db);
    purged += rows[0]!.deleted;
    after = rows[0]!.reached;
  }
  return purged;
}

type Page = { deleted: number; reached: string | null };

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";
const PURGE_BATCH = 1_000;
