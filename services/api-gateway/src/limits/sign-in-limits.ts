import { networkOf } from "@holdfast/service-runtime";
import type { Config } from "../config.ts";
import { isApiKey } from "../merchant/credential.ts";
import { boundedCache } from "./bounded-cache.ts";
import { createTokenBuckets } from "./token-buckets.ts";

export type SignInLimitsOptions = {
  /** Failed sign-ins a minute from one client address; IPv6 addresses count by their /64. */
  perAddress: number;
  /** Failed sign-ins a minute with one API key, from any address. */
  perKey: number;
};

export type SignInLimits = {
  /** Milliseconds for which an attempt from here is refused unread; 0: it may be made. To be asked once for each attempt. */
  lockedMs(address: string, name: string): number;
  /** Counts a failure. @returns 0, or above the limit the milliseconds to wait. */
  failed(address: string, name: string): number;
  succeeded(address: string, name: string): void;
};

/**
 * Counts failed sign-ins in this process: of merchants by API key, and of operators by their token's subject.
 * An address with too many failures is locked: its attempts are refused unread, so they cost neither a
 * look-up nor cryptography. One client must not shut another out in this way:
 * - Correct credentials always sign in from an address that is not locked, however many failures the key has.
 * Above the key's own limit only failures are answered differently.
 * - A caller who has signed in from a locked address before still signs in there. A merchant behind a shared
 * address, or behind an undeclared proxy, keeps working beside an attacker.
 * - A key that is new to a locked address is still tried a few times a minute, and signs in if it is correct.
 * A shop with an old secret spends its own key's tries, not another merchant's. All tries of an address have
 * a limit together, so invented keys gain nothing.
 */
export function createSignInLimits({ perAddress, perKey }: SignInLimitsOptions): SignInLimits {
  const failuresOf = (size: number) =>
    createTokenBuckets({ size, intervalMs: 60_000, keysMax: FAILING_KEYS_MAX });
  const byNetwork = failuresOf(perAddress);
  const byKey = failuresOf(perKey);
  const triesOfAddress = failuresOf(perAddress);
  const triesOfKey = failuresOf(TRIES_OF_KEY);
  const isTried = (network: string, name: string) =>
    isApiKey(name) &&
    triesOfKey.take(`${name} ${network}`).waitMs === 0 &&
    triesOfAddress.take(network).waitMs === 0;
  const established = boundedCache<true>(ESTABLISHED_MAX);
  return {
    lockedMs(address, name) {
      const network = networkOf(address);
      const waitMs = byNetwork.waitMs(network);
      if (waitMs === 0 || established.has(`${name} ${network}`)) return 0;
      return isTried(network, name) ? 0 : waitMs;
    },
    failed(address, name) {
      const ofAddress = byNetwork.take(networkOf(address)).waitMs;
      // A text that cannot be a key could be of any length. A key that does not exist counts like one that does.
      const ofKey = isApiKey(name) ? byKey.take(name).waitMs : 0;
      return Math.max(ofAddress, ofKey);
    },
    succeeded(address, name) {
      established.set(`${name} ${networkOf(address)}`, true);
    },
  };
}

/** Limits sign-ins as the configuration says. */
export function signInLimitsIn(
  config: Pick<Config, "FAILED_SIGN_INS_PER_MINUTE_PER_IP" | "FAILED_SIGN_INS_PER_MINUTE_PER_KEY">,
): SignInLimits {
  return createSignInLimits({
    perAddress: config.FAILED_SIGN_INS_PER_MINUTE_PER_IP,
    perKey: config.FAILED_SIGN_INS_PER_MINUTE_PER_KEY,
  });
}

/** An attacker is forgotten only after as many other addresses have failed, too. */
const FAILING_KEYS_MAX = 10_000;
const ESTABLISHED_MAX = 10_000;
/** A minute, of one key that has not signed in from a locked address. */
const TRIES_OF_KEY = 3;
