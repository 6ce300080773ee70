import type { Exchange } from "../http/exchange.ts";
import type { Refusal } from "../http/refusal.ts";
import { rateLimited } from "./rate-limited.ts";
import { networkOf } from "./sign-in-limits.ts";
import { createTokenBuckets } from "./token-buckets.ts";

/** Counts a request for a public page against the address it comes from, or refuses it. */
export type AdmitPage = (exchange: Exchange) => Refusal | undefined;

/**
 * Buyers do not sign in, so the limit is for the client's address (of IPv6 its /64): requests a minute in this process,
 * over all pages together.
 */
export function createPageRateLimit(perMinute: number): AdmitPage {
  const buckets = createTokenBuckets({ size: perMinute, intervalMs: 60_000, keysMax: NETWORKS_MAX });
  return ({ clientAddress }) => {
    const { waitMs } = buckets.take(networkOf(clientAddress));
    return waitMs === 0 ? undefined : rateLimited(waitMs);
  };
}

const NETWORKS_MAX = 50_000;
