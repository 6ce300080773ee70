import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";

/**
 * Returns which of these events are not here. An event older than `keptSince` counts as being here: retention may have
 * dropped it, and if its owner published it again, the merchant would get a webhook of months ago.
 */
export async function findMissing(
  db: Kysely<WebhooksDatabase>,
  { eventIds, keptSince }: { eventIds: string[]; keptSince: Date },
): Promise<string[]> {
  // Reads in proportion to the number of given ids, since it returns one row for each.
  const { rows } = await sql<{ event_id: string; is_here: boolean }>`
    select asked.event_id,
      event.event_id is not null or uuid_extract_timestamp(asked.event_id) < ${keptSince} as is_here
    from unnest(${eventIds}::uuid[]) as asked(event_id)
      left join event
        on event.occurred_at = uuid_extract_timestamp(asked.event_id) and event.event_id = asked.event_id`.execute(
    db,
  );
  return rows.filter(({ is_here }) => !is_here).map(({ event_id }) => event_id);
}
