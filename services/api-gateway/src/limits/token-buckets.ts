import { TokenBucket } from "limiter";
import { boundedCache } from "./bounded-cache.ts";

export type TokenBucketsOptions = {
  /** The content of a full bucket: the largest burst. */
  size: number;
  /** An empty bucket is full again after this time. */
  intervalMs: number;
  /** The most keys in memory. One more evicts the least recently used key, whatever its bucket holds. */
  keysMax: number;
};

/** The outcome of taking one token. */
export type Taken = {
  /** The milliseconds until there is a token; 0: it was taken. */
  waitMs: number;
  /** Whole tokens left. */
  remaining: number;
  /** Milliseconds until the bucket is full. */
  fullInMs: number;
};

export type TokenBuckets = {
  take(key: string): Taken;
  /** The milliseconds until there is a token; 0: there is one. It takes none, and remembers no key. */
  waitMs(key: string): number;
};

/** A token bucket for each key, in this process, in bounded memory whatever keys there are. */
export function createTokenBuckets({ size, intervalMs, keysMax }: TokenBucketsOptions): TokenBuckets {
  const buckets = boundedCache<TokenBucket>(keysMax);
  const bucketOf = (key: string) => {
    const known = buckets.get(key);
    if (known) return known;
    const bucket = new TokenBucket({ bucketSize: size, tokensPerInterval: size, interval: intervalMs });
    // The library's buckets are empty at first.
    bucket.content = size;
    buckets.set(key, bucket);
    return bucket;
  };
  return {
    take(key) {
      const bucket = bucketOf(key);
      const waitMs = bucket.tryRemoveTokens(1) ? 0 : bucket.getWaitTime(1);
      const { content } = bucket;
      return { waitMs, remaining: Math.floor(content), fullInMs: ((size - content) * intervalMs) / size };
    },
    waitMs(key) {
      return buckets.get(key)?.getWaitTime(1) ?? 0;
    },
  };
}
