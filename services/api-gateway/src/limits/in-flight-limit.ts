import { networkOf } from "./sign-in-limits.ts";

/** Runs work that takes a place while it lasts. @returns false where there was none, and nothing was done. */
export type InFlightLimit = (work: () => Promise<void>) => Promise<boolean>;

/** @param max pieces of work under way at once. */
export function createInFlightLimit(max: number): InFlightLimit {
  let inFlight = 0;
  return async (work) => {
    if (inFlight >= max) return false;
    inFlight++;
    try {
      await work();
      return true;
    } finally {
      inFlight--;
    }
  };
}

/** The same for browsers that nobody signed in. */
export type PageInFlightLimit = (
  client: { clientAddress: string },
  work: () => Promise<void>,
) => Promise<boolean>;

/**
 * Of all places one client (of IPv6 its /64) has an eighth at most: requests whose bodies come byte by byte, which cost
 * their sender nothing, would else keep every place from the buyers.
 */
export function createPageInFlightLimit(max: number): PageInFlightLimit {
  const inPlace = createInFlightLimit(max);
  const maxEach = Math.ceil(max / 8);
  const underway = new Map<string, number>();
  return async ({ clientAddress }, work) => {
    const network = networkOf(clientAddress);
    const before = underway.get(network) ?? 0;

    if (before >= maxEach) return false;
    underway.set(network, before + 1);
    try {
      return await inPlace(work);
    } finally {
      const left = (underway.get(network) ?? 1) - 1;
      if (left > 0) underway.set(network, left);
      else underway.delete(network);
    }
  };
}
