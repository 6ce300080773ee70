import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";

/**
 * Returns which of these events are not here. An event of before `keptSince` counts as being here: retention may have
 * dropped it, and if its owner published it again, the merchant would get a webhook of months ago.
 */
export async function findMissing(
  db: Kysely<WebhooksDatabase>,
  { eventIds, keptSince }: { eventIds: string[]; keptSince: Date },
): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from unnest(${eventIds}::uuid[]) as asked(event_id)
    where uuid_extract_timestamp(asked.event_id) >= ${keptSince} and not exists (
      select from event
      where event.occurred_at = uuid_extract_timestamp(asked.event_id) and event.event_id = asked.event_id)`.execute(
    db,
  );
  return rows.map(({ event_id }) => event_id);
}
