import type { StoredEndpoint } from "./stored-endpoint.ts";

/** Reads an endpoint as it is, or was a second ago. */
export type ReadEndpoint = (endpointId: string) => Promise<StoredEndpoint | undefined>;

/** The lifetime of a reading of an endpoint: a change of its URL or secret is followed within this time. */
export const ENDPOINT_FRESH_MS = 1_000;

/**
 * Has the deliveries of one endpoint share a reading for its second, counted from before it was asked for. A reading
 * that failed is not shared.
 */
export function shareReadings(read: ReadEndpoint): ReadEndpoint {
  const readings = new Map<string, { askedAt: number; reading: Promise<StoredEndpoint | undefined> }>();
  return async (endpointId) => {
    const askedAt = performance.now();
    const known = readings.get(endpointId);
    if (known && askedAt - known.askedAt < ENDPOINT_FRESH_MS) return await known.reading;
    // The map is in the order of time, so the first ones are the oldest.
    readings.delete(endpointId);
    for (const [id, old] of readings) {
      if (askedAt - old.askedAt < ENDPOINT_FRESH_MS && readings.size < READINGS_MAX) break;
      readings.delete(id);
    }
    const reading = read(endpointId);
    const shared = { askedAt, reading };
    readings.set(endpointId, shared);
    reading.catch(() => readings.get(endpointId) === shared && readings.delete(endpointId));
    return await reading;
  };
}

const READINGS_MAX = 4_000;
