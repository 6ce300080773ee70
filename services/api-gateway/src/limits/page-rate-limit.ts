import type { Exchange } from "../http/exchange.ts";
import type { Refusal } from "../http/refusal.ts";
import { rateLimited } from "./rate-limited.ts";
import { networkOf } from "./sign-in-limits.ts";
import { createTokenBuckets } from "./token-buckets.ts";

/** Counts a request of a public page against the address it comes from, or refuses it. */
export type AdmitPage = (exchange: Exchange) => Refusal | undefined;

/**
 * Nobody signs in to the public pages, so it is the client's address (of IPv6 its /64) that has its requests a minute,
 * in this process, over all pages together.
 */
export function createPageRateLimit(perMinute: number): AdmitPage {
  const buckets = createTokenBuckets({ size: perMinute, intervalMs: 60_000, keysMax: NETWORKS_MAX });
  return ({ clientAddress }) => {
    const { waitMs } = buckets.take(networkOf(clientAddress));
    return waitMs === 0 ? undefined : rateLimited(waitMs);
  };
}

const NETWORKS_MAX = 50_000;
