import { STORED_ENDPOINT_COLUMNS, type StoredEndpoint } from "../endpoint/stored-endpoint.ts";
import type { LeasedDeliveryRow } from "./leased-delivery.ts";

const NOW = "(now() + $6::float8 * interval '1 millisecond')";

/**
 * Leases due deliveries. Parameters: `$1` the merchant after whom to continue, `$2` and `$3` merchants with the room
 * that each of them has, `$4` the limit, `$5` the lease and `$6` the clock's shift in milliseconds.
 */
export const CLAIM = {
  name: "claim-deliveries",
  text: `
  with recursive ${waitingEndpoints("$1::uuid")}, chosen as (
    select due.delivery_id
    from waiting
      join endpoint using (merchant_id)
      left join unnest($2::uuid[], $3::int[]) as known(merchant_id, room) using (merchant_id)
      cross join lateral (
        select delivery_id from delivery
        where delivery.merchant_id = waiting.merchant_id and lease_token is null and due_at <= ${NOW}
          -- An attempt that may no longer start is left to the reaper, which records the failure.
          and (attempt = 1 or trigger = 'manual' or deadline_at >= ${NOW})
        order by due_at limit coalesce(known.room, endpoint.max_in_flight)
        for update skip locked
      ) as due
    where endpoint.enabled
    limit $4
  )
  update delivery set lease_token = gen_random_uuid(), lease_until = ${NOW} + $5::float8 * interval '1 millisecond'
  from chosen, event, endpoint
  where delivery.delivery_id = chosen.delivery_id
    and event.occurred_at = delivery.occurred_at and event.event_id = delivery.event_id
    and endpoint.merchant_id = delivery.merchant_id
  returning ${leasedColumns({
    delivery_id: "delivery.delivery_id",
    lease_token: "delivery.lease_token",
    event_id: "delivery.event_id",
    event_type: "event.event_type",
    occurred_at: "delivery.occurred_at",
    merchant_id: "delivery.merchant_id",
    payment_id: "event.payment_id",
    status: "event.status",
    body: "event.body",
    traceparent: "event.traceparent",
    trigger: "delivery.trigger",
    attempt: "delivery.attempt",
    // A resend stands before everything else in the queue; when it was asked for is in its id.
    due_at:
      "case when delivery.trigger = 'manual' then uuid_extract_timestamp(delivery.delivery_id) else delivery.due_at end",
    deadline_at: "delivery.deadline_at",
  })}`,
};

/** Ends leases as if they had never been taken. Parameters: the deliveries and their lease tokens. */
export const RELEASE = {
  name: "release-leases",
  text: `
  update delivery set lease_token = null, lease_until = null
  from unnest($1::uuid[], $2::uuid[]) as given(delivery_id, lease_token)
  where delivery.delivery_id = given.delivery_id and delivery.lease_token = given.lease_token`,
};

/**
 * The columns that a statement returns when it leases deliveries: each from its source, and those of the endpoint,
 * which the statement joins as `endpoint`.
 */
export function leasedColumns(
  sources: Record<Exclude<keyof LeasedDeliveryRow, keyof StoredEndpoint>, string>,
): string {
  return [
    ...Object.entries(sources).map(([column, source]) => `${source} as ${column}`),
    ...STORED_ENDPOINT_COLUMNS.map((column) => `endpoint.${column}`),
  ].join(", ");
}

/**
 * For `with recursive`: `waiting`, the merchants with deliveries that are not leased, in order; its last row is null.
 * It skips from one merchant to the next along the index, so that the cost does not grow with the deliveries of one of
 * them.
 *
 * @param after SQL of the merchant after whom to continue.
 */
export function waitingEndpoints(after = `'${BEFORE_EVERY_MERCHANT}'::uuid`): string {
  return `waiting as (
    (select merchant_id from delivery
      where lease_token is null and merchant_id > ${after} order by merchant_id limit 1)
    union all
    select (select delivery.merchant_id from delivery
        where lease_token is null and delivery.merchant_id > waiting.merchant_id order by delivery.merchant_id limit 1)
    from waiting where waiting.merchant_id is not null
  )`;
}

export const BEFORE_EVERY_MERCHANT = "00000000-0000-0000-0000-000000000000";
