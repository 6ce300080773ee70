import type { Pool } from "pg";
import { leasedDelivery, type LeasedDelivery, type LeasedDeliveryRow } from "./leased-delivery.ts";
import { STORED_ENDPOINT_COLUMNS } from "../endpoint/stored-endpoint.ts";
import { NO_UUID, waitingEndpoints } from "./waiting-endpoints.ts";

export type ClaimRequest = {
  /** Deliveries in all. */
  limit: number;
  /** How many each endpoint may still get; those not named get as many as they take at once. */
  rooms: { merchantId: string; room: number }[];
  leaseMs: number;
  shiftMs: number;
  /** Where the round before left off: endpoints take turns when there is more to do than may be claimed. */
  after: string | undefined;
};

export type Claimed = { deliveries: LeasedDelivery[]; after: string | undefined };

/**
 * Leases due deliveries, the oldest of each endpoint first, for every endpoint that has room. The endpoints are found
 * by skipping from one to the next along the index, so that the cost does not grow with what waits for one that is
 * dead: ordered by time alone, 200 deliveries out of its 200 000 were all that a claim returned (measured).
 */
export async function claimDeliveries(pool: Pool, request: ClaimRequest): Promise<Claimed> {
  const { limit, rooms, leaseMs, shiftMs, after = NO_UUID } = request;
  const askedAt = performance.now();
  const { rows } = await pool.query<LeasedDeliveryRow>({
    name: "claim-deliveries",
    text: CLAIM,
    values: [
      after,
      rooms.map(({ merchantId }) => merchantId),
      rooms.map(({ room }) => room),
      limit,
      leaseMs,
      shiftMs,
    ],
  });
  const deliveries = rows.map((row) => leasedDelivery(row, askedAt, leaseMs));
  deliveries.sort(
    (a, b) =>
      Number(b.trigger === "manual") - Number(a.trigger === "manual") ||
      a.dueAt.getTime() - b.dueAt.getTime(),
  );
  return { deliveries, after: rows.length < limit ? undefined : largest(rows) };
}

/** UUIDs as text sort as the database sorts them. */
function largest(rows: LeasedDeliveryRow[]): string | undefined {
  return rows
    .map(({ merchant_id }) => merchant_id)
    .sort()
    .at(-1);
}

const NOW = "(now() + $6::float8 * interval '1 millisecond')";

const CLAIM = `
  with recursive ${waitingEndpoints("$1::uuid")}, chosen as (
    select due.delivery_id
    from waiting
      join endpoint using (merchant_id)
      left join unnest($2::uuid[], $3::int[]) as known(merchant_id, room) using (merchant_id)
      cross join lateral (
        select delivery_id from delivery
        where delivery.merchant_id = waiting.merchant_id and lease_token is null and due_at <= ${NOW}
          -- What may no longer start is left to the reaper, which records that it failed.
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
  returning delivery.delivery_id, delivery.lease_token, delivery.event_id, event.event_type, delivery.occurred_at,
    delivery.merchant_id, event.payment_id, event.status, event.body, event.traceparent, delivery.trigger,
    delivery.attempt, case when delivery.trigger = 'manual' then uuid_extract_timestamp(delivery.delivery_id) else delivery.due_at end as due_at,
    delivery.deadline_at, ${STORED_ENDPOINT_COLUMNS}`;

/** Gives leases back as if nobody had had them. */
export async function releaseLeases(pool: Pool, deliveries: LeasedDelivery[]): Promise<void> {
  await pool.query({
    name: "release-leases",
    text: `
      update delivery set lease_token = null, lease_until = null
      from unnest($1::uuid[], $2::uuid[]) as given(delivery_id, lease_token)
      where delivery.delivery_id = given.delivery_id and delivery.lease_token = given.lease_token`,
    values: [deliveries.map(({ deliveryId }) => deliveryId), deliveries.map(({ leaseToken }) => leaseToken)],
  });
}
