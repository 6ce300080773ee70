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
 * @param holder who signed in; undefined without a sign-in.
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

/** The owner of the places that a browser's request takes. Browsers do not sign in. */
export type PageVisitor = {
  clientAddress: string;
  /** The checkout, or the payment with 3-D Secure, that the request is about. */
  subject: string;
  /** Its merchant, once that is known. */
  merchantId?: string | undefined;
};

/** The same for browsers. */
export type PageInFlightLimit = (
  visitor: PageVisitor,
  kind: Work,
  work: () => Promise<void>,
) => Promise<boolean>;

/**
 * One client (of IPv6 its /64) has at most an eighth of the places of each kind, one checkout or payment a few, and all
 * checkouts of one merchant the merchant's share. @param share of the places that one merchant may have.
 */
export function createPageInFlightLimit(places: Places, share: number): PageInFlightLimit {
  const inPlace = createInFlightLimit(places, share);
  const boundOf = (max: number) => ({
    ofAddress: createSharedPlaces({ max, ofOneMax: placesOfOne(max, ADDRESS_SHARE) }),
    ofSubject: createSharedPlaces({ max, ofOneMax: SUBJECT_PLACES }),
  });
  const bounds = { external: boundOf(places.external), local: boundOf(places.local) };
  return async ({ clientAddress, subject, merchantId }, kind, work) => {
    const { ofAddress, ofSubject } = bounds[placesOf(kind)];
    const address = ofAddress.take(networkOf(clientAddress));
    const own = address && ofSubject.take(subject);
    try {
      return own !== undefined && (await inPlace(kind, merchantId, work));
    } finally {
      own?.();
      address?.();
    }
  };
}

const ADDRESS_SHARE = 1 / 8;
/** A buyer has a tab or two. */
const SUBJECT_PLACES = 4;
