import { STORED_ENDPOINT_COLUMNS, type StoredEndpoint } from "../endpoint/stored-endpoint.ts";
import { NEW_LEASE_TOKEN } from "./lease-holder-statements.ts";
import type { LeasedDeliveryRow } from "./leased-delivery.ts";

const NOW = "(now() + $6::float8 * interval '1 millisecond')";

/**
 * Leases due deliveries. Parameters: `$1` the endpoint after which to continue, `$2` endpoints in the order
 * of their ids, `$3` each one's room, `$4` the limit, `$5` the lease and `$6` the clock's shift in
 * milliseconds, and `$7` the last endpoint to look at.
 *
 * An endpoint's room is found by a binary search: thousands of endpoints that fail together are all in `$2`,
 * and a join with it took seconds. Of endpoints without room nothing else is read. A delivery whose event is
 * gone is never chosen, so it takes no place in its endpoint's queue. Each endpoint is read by its id (a limit
 * keeps this from becoming a join): endpoints are served in the order of their ids, so those before the last
 * one of a claim that reached its limit have had their turn.
 */
export const CLAIM = {
  name: "claim-deliveries",
  text: `
  with recursive ${waitingEndpoints({ after: "$1::uuid", until: "$7::uuid", now: NOW })}, known as (
    select endpoint_id, case when ($2::uuid[])[position] = endpoint_id then ($3::int[])[position] end as room
    from waiting cross join lateral (select width_bucket(endpoint_id, $2::uuid[]) as position) as place
  ), chosen as (
    select due.*
    from (select * from known where room is distinct from 0) as waiting
      cross join lateral (
        select max_in_flight, attempts_until from endpoint
        where endpoint_id = waiting.endpoint_id and state = 'on' limit 1
      ) as endpoint
      cross join lateral (
        select delivery_id, event_type, payment_id, status, body, traceparent
        from delivery join event using (occurred_at, event_id)
        where delivery.endpoint_id = waiting.endpoint_id and lease_token is null and due_at <= ${NOW}
          -- An attempt that may no longer start is left to the reaper, which records the failure.
          and (trigger = 'schedule' and attempt = 1 or greatest(deadline_at, endpoint.attempts_until) >= ${NOW})
        order by due_at
        limit coalesce(waiting.room, endpoint.max_in_flight)
        for update of delivery skip locked
      ) as due
    limit $4
  )
  update delivery set lease_token = ${NEW_LEASE_TOKEN}, lease_until = ${NOW} + $5::float8 * interval '1 millisecond'
  from chosen, endpoint
  where delivery.delivery_id = chosen.delivery_id and endpoint.endpoint_id = delivery.endpoint_id
  returning ${leasedColumns({
    delivery_id: "delivery.delivery_id",
    lease_token: "delivery.lease_token",
    event_id: "delivery.event_id",
    event_type: "chosen.event_type",
    occurred_at: "delivery.occurred_at",
    merchant_id: "endpoint.merchant_id",
    payment_id: "chosen.payment_id",
    status: "chosen.status",
    body: "chosen.body",
    traceparent: "chosen.traceparent",
    trigger: "delivery.trigger",
    attempt: "delivery.attempt",
    // A resend goes before everything else in the queue; its id contains the time of its request.
    due_at:
      "case when delivery.trigger = 'manual' then uuid_extract_timestamp(delivery.delivery_id) else delivery.due_at end",
    deadline_at: "greatest(delivery.deadline_at, endpoint.attempts_until)",
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
 * The columns that a statement returns when it leases deliveries, with their sources. The statement joins the
 * endpoint as `endpoint`.
 */
export function leasedColumns(
  sources: Partial<Record<Exclude<keyof LeasedDeliveryRow, keyof StoredEndpoint>, string>>,
): string {
  return [
    ...Object.entries(sources).map(([column, source]) => `${source} as ${column}`),
    ...STORED_ENDPOINT_COLUMNS.map((column) => `endpoint.${column}`),
  ].join(", ");
}

/**
 * A part for `with recursive`: `waiting`, the endpoints with due, unleased deliveries, in order; its last row
 * is null. It skips from one endpoint to the next along the index, so the cost does not grow with the backlog
 * of one of them. Endpoints with nothing due are skipped within one scan of the index, at a tenth of a step's
 * cost.
 * @param after SQL of the endpoint after which to continue.
 * @param until SQL of the last endpoint to look at.
 * @param now SQL of the time until which a delivery is due.
 */
export function waitingEndpoints({ after, until, now }: Record<"after" | "until" | "now", string>): string {
  return `waiting as (
    (select endpoint_id from delivery
      where lease_token is null and endpoint_id > ${after} and endpoint_id <= ${until} and due_at <= ${now}
      order by endpoint_id limit 1)
    union all
    select (select delivery.endpoint_id from delivery
        where lease_token is null and delivery.endpoint_id > waiting.endpoint_id and delivery.endpoint_id <= ${until}
          and due_at <= ${now}
        order by delivery.endpoint_id limit 1)
    from waiting where waiting.endpoint_id is not null
  )`;
}

export const BEFORE_EVERY_ENDPOINT = "00000000-0000-0000-0000-000000000000";
export const LAST_ENDPOINT = "ffffffff-ffff-ffff-ffff-ffffffffffff";
