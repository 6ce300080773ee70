import { fromNow } from "@holdfast/postgres";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

/**
 * Deletes the tombstones of refused requests. They stop copies of the request, which expire within seconds; a
 * merchant whose requests are refused in a loop would otherwise fill the table.
 *
 * @returns the number of deleted rows.
 */
export async function purgeRefusals(
  db: Kysely<PaymentsDatabase>,
  { olderThanMs }: { olderThanMs: number },
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const batch = db
      .selectFrom("refund_reservation")
      .select("refund_id")
      .where("state", "=", "REFUSED")
      .where("created_at", "<", fromNow(-olderThanMs))
      .limit(BATCH_MAX);
    const { numDeletedRows } = await db
      .deleteFrom("refund_reservation")
      .where("refund_id", "in", batch)
      .executeTakeFirst();
    deleted += Number(numDeletedRows);
    if (numDeletedRows < BATCH_MAX) return deleted;
  }
}

const BATCH_MAX = 1_000;
