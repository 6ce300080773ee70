import { placesOf, type Places, type Work } from "@holdfast/contracts";
import { createSharedPlaces, placesOfOne } from "@holdfast/service-runtime";
import { networkOf } from "./sign-in-limits.ts";

/** The places of one listener. */
export function placesIn(config: {
  REQUESTS_IN_FLIGHT_MAX: number;
  LOCAL_REQUESTS_IN_FLIGHT_MAX: number;
}): Places {
  return { external: config.REQUESTS_IN_FLIGHT_MAX, local: config.LOCAL_REQUESTS_IN_FLIGHT_MAX };
}

/**
 * Runs work in one of the places of its kind, if one is free and its holder has not its share already.
 * @param holder who signed in; undefined where nobody has.
 * @returns false if none was, and nothing was done.
 */
export type InFlightLimit = (
  kind: Work,
  holder: string | undefined,
  work: () => Promise<void>,
) => Promise<boolean>;

/** @param share of the places that one holder may have. */
export function createInFlightLimit(places: Places, share: number): InFlightLimit {
  const sharedOf = (max: number) => createSharedPlaces({ max, ofOneMax: placesOfOne(max, share) });
  const shared = { external: sharedOf(places.external), local: sharedOf(places.local) };
  return async (kind, holder, work) => {
    const release = shared[placesOf(kind)].take(holder);
    if (!release) return false;
    try {
      await work();
      return true;
    } finally {
      release();
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
  const inPlace = createInFlightLimit(places, 1);
  const underway = { external: new Map<string, number>(), local: new Map<string, number>() };
  return async ({ clientAddress }, kind, work) => {
    const here = placesOf(kind);
    const clients = underway[here];
    const network = networkOf(clientAddress);
    const before = clients.get(network) ?? 0;
    if (before >= Math.ceil(places[here] / 8)) return false;
    clients.set(network, before + 1);
    try {
      return await inPlace(kind, undefined, work);
    } finally {
      const left = (clients.get(network) ?? 1) - 1;
      if (left > 0) clients.set(network, left);
      else clients.delete(network);
    }
  };
}
