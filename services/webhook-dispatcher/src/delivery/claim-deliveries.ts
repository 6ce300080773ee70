import type { Pool } from "pg";
import { BEFORE_EVERY_ENDPOINT, CLAIM, LAST_ENDPOINT, RELEASE } from "./claim-statements.ts";
import { leasedDelivery, type LeasedDelivery, type LeasedDeliveryRow } from "./leased-delivery.ts";

export type ClaimRequest = {
  /** Most deliveries that one claim returns. */
  limit: number;
  /**
   * The number of deliveries that each endpoint may still get; an unnamed endpoint gets as many as it may
   * have in flight.
   */
  rooms: { endpointId: string; room: number }[];
  leaseMs: number;
  shiftMs: number;
  /** The end of the claim before: endpoints take turns when there are more than one claim can look at. */
  after: string | undefined;
};

/** `after` where endpoints are left that this claim did not look at. */
export type Claimed = { deliveries: LeasedDelivery[]; after: string | undefined };

/**
 * Leases due deliveries, oldest first for each endpoint, for every endpoint that has room. The endpoints are
 * found by skipping from one to the next along the index, so the cost does not grow with the backlog of a
 * dead one. Ordered by time alone, a claim returned only deliveries of the dead endpoint (measured: 200 of
 * its 200 000). Endpoints without room are skipped one by one, and a claim ends after two thousand of them.
 */
export async function claimDeliveries(pool: Pool, request: ClaimRequest): Promise<Claimed> {
  const { limit, leaseMs } = request;
  const askedAt = performance.now();
  const window = claimWindow(request);
  const { rows } = await pool.query<LeasedDeliveryRow>({ ...CLAIM, values: claimValues(request, window) });
  const deliveries = rows.map((row) => leasedDelivery(row, askedAt, leaseMs));
  deliveries.sort(
    (a, b) =>
      Number(b.trigger === "manual") - Number(a.trigger === "manual") ||
      a.dueAt.getTime() - b.dueAt.getTime(),
  );
  if (rows.length === limit) return { deliveries, after: largest(rows) };
  return { deliveries, after: window.until === LAST_ENDPOINT ? undefined : window.until };
}

/** The endpoints that a claim looks at: those after `after`, up to `until`, and their rooms in order. */
type Window = { after: string; until: string; rooms: ClaimRequest["rooms"] };

export function claimWindow({ rooms, after = BEFORE_EVERY_ENDPOINT }: ClaimRequest): Window {
  // UUIDs as text sort as the database sorts them.
  const behind = rooms
    .filter(({ endpointId }) => endpointId > after)
    .sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
  const full = behind.filter(({ room }) => room === 0);
  const until = full[WITHOUT_ROOM_MAX - 1]?.endpointId ?? LAST_ENDPOINT;
  return { after, until, rooms: behind.filter(({ endpointId }) => endpointId <= until) };
}

/** Each costs a hundredth of a millisecond. */
const WITHOUT_ROOM_MAX = 2_000;

/** The parameters of the statement. */
export function claimValues({ limit, leaseMs, shiftMs }: ClaimRequest, window: Window): unknown[] {
  const { after, until, rooms } = window;
  return [
    after,
    rooms.map(({ endpointId }) => endpointId),
    rooms.map(({ room }) => room),
    limit,
    leaseMs,
    shiftMs,
    until,
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
