import { sql, type Kysely } from "kysely";
import type { WebhooksDatabase } from "../database.ts";

/** The most deliveries that are queued beside the schedule at a time. */
export const QUEUED_MAX = 10_000;

/**
 * Sends what waits for its next attempt once beside the schedule, the oldest events first.
 * @returns how many deliveries were queued.
 */
export async function queueWaiting(db: Kysely<WebhooksDatabase>, endpointIds: string[]): Promise<number> {
  const { rows } = await sql`
    with waiting as (
      select event_id, occurred_at, endpoint_id from delivery
      where endpoint_id = any(${endpointIds}::uuid[]) and trigger = 'schedule' and lease_token is null and due_at > now()
        and not exists (
          select from delivery as extra
          where extra.event_id = delivery.event_id and extra.endpoint_id = delivery.endpoint_id
            and extra.trigger = 'manual')
      order by event_id limit ${QUEUED_MAX}
    )
    insert into delivery (event_id, occurred_at, endpoint_id, trigger, due_at, deadline_at)
    select event_id, occurred_at, endpoint_id, 'manual', now(), occurred_at from waiting
    returning delivery_id`.execute(db);
  return rows.length;
}
