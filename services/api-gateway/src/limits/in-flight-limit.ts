import { permitsOf, type Permits, type Work } from "@holdfast/contracts";
import { createSharedPermits, networkOf, permitsOfOne } from "@holdfast/service-runtime";

/** The permits of one listener. */
export function permitsIn(config: {
  REQUESTS_IN_FLIGHT_MAX: number;
  LOCAL_REQUESTS_IN_FLIGHT_MAX: number;
}): Permits {
  return { external: config.REQUESTS_IN_FLIGHT_MAX, local: config.LOCAL_REQUESTS_IN_FLIGHT_MAX };
}

/**
 * Runs work in a permit of its kind, if one is free and its holder has not used up its share.
 * @param holder the signed-in caller; undefined without a sign-in.
 * @returns false if there was no permit; the work was not run then.
 */
export type InFlightLimit = (
  kind: Work,
  holder: string | undefined,
  work: () => Promise<void>,
) => Promise<boolean>;

/** @param share of the permits that one holder may have. */
export function createInFlightLimit(permits: Permits, share: number): InFlightLimit {
  const sharedOf = (max: number) => createSharedPermits({ max, ofOneMax: permitsOfOne(max, share) });
  const shared = { external: sharedOf(permits.external), local: sharedOf(permits.local) };
  return async (kind, holder, work) => {
    using permit = shared[permitsOf(kind)].take(holder);
    if (!permit) return false;
    await work();
    return true;
  };
}

/** The owner of the permits that a browser's request takes. Browsers do not sign in. */
export type PageVisitor = {
  clientAddress: string;
  /** The checkout, or the payment with 3-D Secure, that the request is about. */
  subject: string;
  /** The page's merchant, once it is known. */
  merchantId?: string | undefined;
};

/** Runs a browser's work in a permit. */
export type PageInFlightLimit = (
  visitor: PageVisitor,
  kind: Work,
  work: () => Promise<void>,
) => Promise<boolean>;

/**
 * One client (of IPv6 its /64) has at most an eighth of the permits of each kind, one checkout or payment a few, and all
 * checkouts of one merchant the merchant's share. @param share of the permits that one merchant may have.
 */
export function createPageInFlightLimit(permits: Permits, share: number): PageInFlightLimit {
  const withPermit = createInFlightLimit(permits, share);
  const boundOf = (max: number) => ({
    ofAddress: createSharedPermits({ max, ofOneMax: permitsOfOne(max, ADDRESS_SHARE) }),
    ofSubject: createSharedPermits({ max, ofOneMax: SUBJECT_PERMITS }),
  });
  const bounds = { external: boundOf(permits.external), local: boundOf(permits.local) };
  return async ({ clientAddress, subject, merchantId }, kind, work) => {
    const { ofAddress, ofSubject } = bounds[permitsOf(kind)];
    using address = ofAddress.take(networkOf(clientAddress));
    using own = address && ofSubject.take(subject);
    return own !== undefined && (await withPermit(kind, merchantId, work));
  };
}

const ADDRESS_SHARE = 1 / 8;
/** A buyer has a tab or two. */
const SUBJECT_PERMITS = 4;
