import type { Pool } from "pg";

/**
 * Which of these events are not here. What retention has dropped would count as missing, so owners ask about later
 * ones.
 */
export async function findMissing(pool: Pool, eventIds: string[]): Promise<string[]> {
  const { rows } = await pool.query<{ event_id: string }>(
    `select event_id from unnest($1::uuid[]) as asked(event_id)
     where not exists (
       select from event
       where event.occurred_at = uuid_extract_timestamp(asked.event_id) and event.event_id = asked.event_id)`,
    [eventIds],
  );
  return rows.map(({ event_id }) => event_id);
}
