import type { Client } from "pg";

/**
 * Adds events of a merchant and their pending deliveries, due now, as if they had been accepted. Foreign keys are not
 * checked row by row: a million of them would take longer than all the rest.
 */
export async function insertBacklog(client: Client, merchantId: string, count: number): Promise<void> {
  await client.query("set session_replication_role = replica; set synchronous_commit = off");
  await client.query(INSERT_EVENTS, [merchantId, count, BODY]);
  await client.query("analyze webhooks.event; analyze webhooks.delivery");
}

const BODY = Buffer.from("x".repeat(500));

/** Event ids are UUIDv7 of a minute ago or less, and so lie in a partition. */
const INSERT_EVENTS = `
  with drawn as (
    select uuidv7() as event_id, gen_random_uuid() as payment_id from generate_series(1, $2::int)
  ), inserted as (
    insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
    select uuid_extract_timestamp(event_id), event_id, 'payments', 'payment.status_changed', $1::uuid, payment_id,
      'SUCCESS', $3::bytea
    from drawn
    returning event_id, occurred_at
  )
  insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
  select event_id, occurred_at, $1::uuid, now(), occurred_at + interval '48 hours' from inserted`;

/**
 * Replaces all pending deliveries by so many for events that exist: a few for each of the others, due now, and all the
 * rest for the dead merchant, due before them.
 */
export async function setPending(
  client: Client,
  deadMerchantId: string,
  otherMerchantIds: string[],
  count: number,
): Promise<void> {
  await client.query("set session_replication_role = replica; set synchronous_commit = off");
  await client.query("truncate webhooks.delivery");
  await client.query(
    `insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
     select event_id, occurred_at, coalesce(other, $1::uuid),
       now() - case when other is null then interval '1 minute' else interval '0' end,
       occurred_at + interval '48 hours'
     from (
       select event_id, occurred_at,
         ($2::uuid[])[1 + (row_number() over () - 1) / ${DUE_OF_EACH}] as other
       from webhooks.event where merchant_id = $1::uuid limit $3
     ) as chosen`,
    [deadMerchantId, otherMerchantIds, count],
  );
  await client.query("vacuum (analyze) webhooks.delivery");
}

/** As many as a claim takes for an endpoint of which nothing is known. */
const DUE_OF_EACH = 8;
