import type { Pool } from "pg";
import { BEFORE_EVERY_ENDPOINT, CLAIM, RELEASE } from "./claim-statements.ts";
import { leasedDelivery, type LeasedDelivery, type LeasedDeliveryRow } from "./leased-delivery.ts";

export type ClaimRequest = {
  /** Most deliveries that one claim returns. */
  limit: number;
  /** How many each endpoint may still get; an endpoint that is not named gets as many as it may have in flight. */
  rooms: { endpointId: string; room: number }[];
  leaseMs: number;
  shiftMs: number;
  /** Where the round before ended: endpoints take turns when more is due than one claim returns. */
  after: string | undefined;
};

export type Claimed = { deliveries: LeasedDelivery[]; after: string | undefined };

/**
 * Leases due deliveries, the oldest of each endpoint first, for every endpoint that has room. The endpoints are found
 * by skipping from one to the next along the index, so that the cost does not grow with the deliveries that wait for a
 * dead one: ordered by time alone, 200 deliveries out of its 200 000 were all that a claim returned (measured).
 */
export async function claimDeliveries(pool: Pool, request: ClaimRequest): Promise<Claimed> {
  const { limit, leaseMs } = request;
  const askedAt = performance.now();
  const { rows } = await pool.query<LeasedDeliveryRow>({ ...CLAIM, values: claimValues(request) });
  const deliveries = rows.map((row) => leasedDelivery(row, askedAt, leaseMs));
  deliveries.sort(
    (a, b) =>
      Number(b.trigger === "manual") - Number(a.trigger === "manual") ||
      a.dueAt.getTime() - b.dueAt.getTime(),
  );
  return { deliveries, after: rows.length < limit ? undefined : largest(rows) };
}

/** The parameters of the statement. */
export function claimValues(request: ClaimRequest): unknown[] {
  const { limit, leaseMs, shiftMs, after = BEFORE_EVERY_ENDPOINT } = request;
  // UUIDs as text sort as the database sorts them.
  const rooms = request.rooms.toSorted((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
  return [
    after,
    rooms.map(({ endpointId }) => endpointId),
    rooms.map(({ room }) => room),
    limit,
    leaseMs,
    shiftMs,
  ];
}

/** UUIDs as text sort as the database sorts them. */
function largest(rows: LeasedDeliveryRow[]): string | undefined {
  return rows
    .map(({ endpoint_id }) => endpoint_id)
    .sort()
    .at(-1);
}

/** Ends leases as if they had never been taken. */
export async function releaseLeases(pool: Pool, deliveries: LeasedDelivery[]): Promise<void> {
  await pool.query({
    ...RELEASE,
    values: [deliveries.map(({ deliveryId }) => deliveryId), deliveries.map(({ leaseToken }) => leaseToken)],
  });
}
