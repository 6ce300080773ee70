import { placesOf, type Places, type Work } from "@holdfast/contracts";
import { networkOf } from "./sign-in-limits.ts";

/** The places of one listener. */
export function placesIn(config: {
  REQUESTS_IN_FLIGHT_MAX: number;
  LOCAL_REQUESTS_IN_FLIGHT_MAX: number;
}): Places {
  return { external: config.REQUESTS_IN_FLIGHT_MAX, local: config.LOCAL_REQUESTS_IN_FLIGHT_MAX };
}

/** Runs work in one of the places of its kind, if one is free. @returns false if none was, and nothing was done. */
export type InFlightLimit = (kind: Work, work: () => Promise<void>) => Promise<boolean>;

/** @param places pieces of work at the same time. */
export function createInFlightLimit(places: Places): InFlightLimit {
  const inFlight: Places = { external: 0, local: 0 };
  return async (kind, work) => {
    const here = placesOf(kind);
    if (inFlight[here] >= places[here]) return false;
    inFlight[here]++;
    try {
      await work();
      return true;
    } finally {
      inFlight[here]--;
    }
  };
}

/** The same for browsers, which do not sign in. */
export type PageInFlightLimit = (
  client: { clientAddress: string },
  kind: Work,
  work: () => Promise<void>,
) => Promise<boolean>;

/**
 * One client (of IPv6 its /64) has at most an eighth of the places of each kind. Otherwise requests whose bodies arrive byte by byte,
 * which cost their sender nothing, would keep every place from the buyers.
 */
export function createPageInFlightLimit(places: Places): PageInFlightLimit {
  const inPlace = createInFlightLimit(places);
  const underway = { external: new Map<string, number>(), local: new Map<string, number>() };
  return async ({ clientAddress }, kind, work) => {
    const here = placesOf(kind);
    const clients = underway[here];
    const network = networkOf(clientAddress);
    const before = clients.get(network) ?? 0;
    if (before >= Math.ceil(places[here] / 8)) return false;
    clients.set(network, before + 1);
    try {
      return await inPlace(kind, work);
    } finally {
      const left = (clients.get(network) ?? 1) - 1;
      if (left > 0) clients.set(network, left);
      else clients.delete(network);
    }
  };
}
