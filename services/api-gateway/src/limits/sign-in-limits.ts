import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import { isApiKey } from "../merchant/credential.ts";
import { createTokenBuckets } from "./token-buckets.ts";

export type SignInLimitsOptions = {
  /** Failed sign-ins a minute from one client address; IPv6 addresses count by their /64. */
  perAddress: number;
  /** Failed sign-ins a minute with one API key, from wherever. */
  perKey: number;
};

export type SignInLimits = {
  /** Milliseconds for which an attempt from here is not even looked at; 0: look at it. */
  lockedMs(address: string, apiKey: string): number;
  /** Counts a failure. @returns 0, or above the limit the milliseconds to wait. */
  failed(address: string, apiKey: string): number;
  succeeded(address: string, apiKey: string): void;
};

/**
 * Failed sign-ins, in this process. An address with too many of them is locked: nothing from there is looked at, so
 * that it costs neither a look-up nor an HMAC. What must not follow is that one client shuts another out:
 * - Correct credentials always get in from an address that is not locked, however many failures there are with the key;
 *   above the key's own limit only the failures are answered differently.
 * - From a locked address a key goes on that has signed in from there before: a merchant behind a shared address, or
 *   behind a proxy nobody has declared, keeps working beside whoever guesses.
 */
export function createSignInLimits({ perAddress, perKey }: SignInLimitsOptions): SignInLimits {
  const failuresOf = (size: number) =>
    createTokenBuckets({ size, intervalMs: 60_000, keysMax: FAILING_KEYS_MAX });
  const byNetwork = failuresOf(perAddress);
  const byKey = failuresOf(perKey);
  const established = new LRUCache<string, true>({ max: ESTABLISHED_MAX });
  return {
    lockedMs(address, apiKey) {
      const network = networkOf(address);
      const waitMs = byNetwork.waitMs(network);
      return waitMs > 0 && established.has(`${apiKey} ${network}`) ? 0 : waitMs;
    },
    failed(address, apiKey) {
      const ofAddress = byNetwork.take(networkOf(address)).waitMs;
      // What cannot be a key names nobody, and could be of any length. One that does not exist counts as one that does.
      const ofKey = isApiKey(apiKey) ? byKey.take(apiKey).waitMs : 0;
      return Math.max(ofAddress, ofKey);
    },
    succeeded(address, apiKey) {
      established.set(`${apiKey} ${networkOf(address)}`, true);
    },
  };
}

/** For an attacker to be forgotten it takes as many other addresses, each with failures of its own. */
const FAILING_KEYS_MAX = 10_000;
const ESTABLISHED_MAX = 10_000;

/** Who counts as one client: an IPv4 address, or an IPv6 /64, of which one host has all addresses. */
export function networkOf(address: string): string {
  // Most are, on the way of every request, and Node takes no other spelling of one.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}
