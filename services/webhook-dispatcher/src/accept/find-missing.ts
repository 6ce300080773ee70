import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";

/**
 * Returns which of these events are not here. Events that retention has dropped would count as missing, so owners ask
 * about later ones only.
 */
export async function findMissing(db: Kysely<WebhooksDatabase>, eventIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from unnest(${eventIds}::uuid[]) as asked(event_id)
    where not exists (
      select from event
      where event.occurred_at = uuid_extract_timestamp(asked.event_id) and event.event_id = asked.event_id)`.execute(
    db,
  );
  return rows.map(({ event_id }) => event_id);
}
