import { networkOf } from "./sign-in-limits.ts";

/** Runs work in one of the places, if one is free. @returns false if none was, and nothing was done. */
export type InFlightLimit = (work: () => Promise<void>) => Promise<boolean>;

/** @param max pieces of work at the same time. */
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

/** The same for browsers, which do not sign in. */
export type PageInFlightLimit = (
  client: { clientAddress: string },
  work: () => Promise<void>,
) => Promise<boolean>;

/**
 * One client (of IPv6 its /64) has at most an eighth of all places. Otherwise requests whose bodies arrive byte by byte,
 * which cost their sender nothing, would keep every place from the buyers.
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
