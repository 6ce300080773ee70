import type { Exchange } from "../http/exchange.ts";
import type { Refusal } from "../http/refusal.ts";
import { rateLimited } from "./rate-limited.ts";
import { createTokenBuckets } from "./token-buckets.ts";

/** Counts a signed-in request against its merchant, or refuses it. */
export type LimitRate = (exchange: Exchange) => Refusal | undefined;

/**
 * Limits each merchant's requests per second in this process, with a burst of as many. Every answer has the
 * rest, in the fields of https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (structured
 * fields, RFC 9651): `q` requests in `w` seconds, of which `r` remain, and all are available again in `t`
 * seconds.
 */
export function createMerchantRateLimit(perSecond: number): LimitRate {
  const buckets = createTokenBuckets({ size: perSecond, intervalMs: 1_000, keysMax: MERCHANTS_MAX });
  const policy = `"merchant";q=${perSecond};w=1`;
  return (exchange) => {
    const { waitMs, remaining, fullInMs } = buckets.take(exchange.merchantId ?? "");
    exchange.rateLimit = {
      "RateLimit-Policy": policy,
      RateLimit: `"merchant";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`,
    };
    return waitMs === 0 ? undefined : rateLimited(waitMs);
  };
}

/** A merchant that is forgotten has sent nothing for long, so its bucket would be full by now. */
const MERCHANTS_MAX = 10_000;
