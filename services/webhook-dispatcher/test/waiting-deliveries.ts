import type { Pool } from "pg";

/** Groups of deliveries that wait, one group for each of so many merchants of its own. */
export type WaitingGroup = {
  merchants: number;
  /** Deliveries of each merchant. */
  each: number;
  /** The time at which they are due, relative to now; negative for deliveries that are overdue. */
  dueInSeconds: number;
};

/** Inserts endpoints with deliveries that wait for them. @returns the merchants, in the order of their ids. */
export async function insertWaiting(
  superuser: Pool,
  { merchants, each, dueInSeconds }: WaitingGroup,
): Promise<string[]> {
  const { rows } = await superuser.query<{ merchant_id: string }>(
    `with endpoints as (
       insert into webhooks.endpoint (endpoint_id, merchant_id, url, secret, secret_request_id)
       select id, id, 'https://shop.example', decode('01026b31', 'hex'), 'r'
       from (select gen_random_uuid() as id from generate_series(1, $1)) as drawn
       returning merchant_id
     ), events as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       select uuid_extract_timestamp(drawn.id), drawn.id, 'payments', 'payment.status_changed', merchant_id,
         gen_random_uuid(), 'SUCCESS', '{}'
       from (select merchant_id, uuidv7() as id from endpoints, generate_series(1, $2)) as drawn
       returning event_id, occurred_at, merchant_id
     ), deliveries as (
       insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
       select event_id, occurred_at, merchant_id, now() + $3 * interval '1 second', now() + interval '1 day'
       from events
     )
     select merchant_id from endpoints order by merchant_id`,
    [merchants, each, dueInSeconds],
  );
  return rows.map(({ merchant_id }) => merchant_id);
}
