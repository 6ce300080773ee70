import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder } from "kysely";
import type { WebhooksDatabase } from "../database.ts";

/** The most deliveries that are queued beside the schedule at a time. */
export const QUEUED_MAX = 10_000;

/**
 * Sends what waits for its next attempt once beside the schedule, the oldest events first.
 * @returns how many deliveries were queued.
 */
export async function queueWaiting(
  db: Kysely<WebhooksDatabase>,
  endpointIds: string[],
  shiftMs: number,
): Promise<number> {
  const waiting = sql`
    select event_id, occurred_at, endpoint_id, deadline_at from delivery join endpoint using (endpoint_id)
    where endpoint_id = any(${endpointIds}::uuid[]) and state = 'on'
      and trigger = 'schedule' and lease_token is null and due_at > ${fromNow(shiftMs)}`;
  return await queueBeside(db, waiting, sql`event_id`);
}

/**
 * Sends deliveries once in addition to the schedule, unless they are queued so already.
 * @param chosen selects their event, its time, the endpoint, and the time until which each may start.
 * @returns the number of queued deliveries.
 */
export async function queueBeside(
  db: Kysely<WebhooksDatabase>,
  chosen: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql`
    insert into delivery (event_id, occurred_at, endpoint_id, trigger, due_at, deadline_at)
    select event_id, occurred_at, endpoint_id, 'manual', now(), deadline_at from (${chosen}) as chosen
    where not exists (
      select from delivery as extra
      where extra.event_id = chosen.event_id and extra.endpoint_id = chosen.endpoint_id
        and extra.trigger = 'manual')
    order by ${order} limit ${QUEUED_MAX}
    returning delivery_id`.execute(db);
  return rows.length;
}
