import { networkOf } from "@holdfast/service-runtime";
import type { Config } from "../config.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Refusal } from "../http/refusal.ts";
import { rateLimited } from "./rate-limited.ts";
import { boundedCache } from "./bounded-cache.ts";
import { createTokenBuckets } from "./token-buckets.ts";

export type PageRateLimit = {
  /** Counts a request for a public page, or refuses it. @param subject the checkout or the payment that it names. */
  admit(exchange: Pick<Exchange, "clientAddress">, subject: string | undefined): Refusal | undefined;
  /** Notes that the subject exists. */
  know(subject: string): void;
};

export type PageRates = { perAddress: number; perSubject: number };

/**
 * Requests per minute in this process. Buyers do not sign in, so requests count by the client's address (for
 * IPv6 its /64) over all pages, until they are about a checkout or a payment that exists. From then on they
 * count by that checkout or payment, from any address. Buyers who share an address, or are behind an
 * undeclared proxy, can continue to pay while another client exceeds the address's limit.
 */
export function createPageRateLimit({ perAddress, perSubject }: PageRates): PageRateLimit {
  const bucketsOf = (size: number) =>
    createTokenBuckets({ size, intervalMs: 60_000, keysMax: REMEMBERED_MAX });
  const [byNetwork, bySubject] = [bucketsOf(perAddress), bucketsOf(perSubject)];
  const known = boundedCache<true>(REMEMBERED_MAX);
  return {
    admit({ clientAddress }, subject) {
      const { waitMs } =
        subject !== undefined && known.get(subject)
          ? bySubject.take(subject)
          : byNetwork.take(networkOf(clientAddress));
      return waitMs === 0 ? undefined : rateLimited(waitMs);
    },
    know: (subject) => void known.set(subject, true),
  };
}

const REMEMBERED_MAX = 50_000;

export function pageRatesIn(config: Config): PageRates {
  return {
    perAddress: config.PAGE_REQUESTS_PER_MINUTE_PER_IP,
    perSubject: config.PAGE_REQUESTS_PER_MINUTE_PER_CHECKOUT,
  };
}
