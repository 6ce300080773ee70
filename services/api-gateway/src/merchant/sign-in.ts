import type { MessageContext } from "@holdfast/contracts";
import type { KeyRing } from "@holdfast/service-runtime";
import { LRUCache } from "lru-cache";
import { hashOfNothing, isApiKey, secretMatches, type SecretHash } from "./credential.ts";

/** The merchant as commands on the bus carry it. */
export type SignedInMerchant = MessageContext["merchant"];

/** A credential as it is stored, with its merchant. */
export type StoredCredential = {
  hash: SecretHash;
  merchant: SignedInMerchant;
  /** Neither revoked, nor its merchant suspended. */
  usable: boolean;
};

export type SignInDeps = {
  /** @throws DatabaseUnavailableError */
  findCredential: (apiKey: string) => Promise<StoredCredential | undefined>;
  peppers: KeyRing;
  cacheTtlMs: number;
  /** Monotonic milliseconds. */
  clock: { now(): number };
};

export type SignIn = {
  /** @throws DatabaseUnavailableError when the credential is not cached and cannot be read. */
  verify(apiKey: string, apiSecret: string): Promise<SignedInMerchant | undefined>;
  /** Reads the credential anew at its next use. */
  forget(apiKey: string): void;
};

/**
 * Signs merchants in. Each attempt costs one HMAC and one comparison of 32 bytes, whether the key exists or not.
 *
 * What was read of the database counts for `cacheTtlMs` from before it was asked, so a revocation acts everywhere within
 * that time. Keys that do not exist have a cache of their own: whoever tries random ones cannot push out the good ones.
 */
export function createSignIn({ findCredential, peppers, cacheTtlMs, clock }: SignInDeps): SignIn {
  // Without a resolution of its own, which would take a timer and a moment's old time.
  const aging = { ttl: cacheTtlMs, ttlResolution: 0, perf: clock };
  const known = new LRUCache<string, StoredCredential>({ max: KNOWN_KEYS_MAX, ...aging });
  const unknown = new LRUCache<string, true>({ max: UNKNOWN_KEYS_MAX, ...aging });
  const lookups = new Map<string, Promise<StoredCredential | undefined>>();
  const nobody: StoredCredential = {
    hash: hashOfNothing(peppers),
    merchant: { merchantId: "" },
    usable: false,
  };

  const lookUp = async (apiKey: string) => {
    const start = clock.now();
    const found = await findCredential(apiKey);
    if (found) known.set(apiKey, found, { start });
    else unknown.set(apiKey, true, { start });
    return found;
  };

  /** Requests that come while a key is being looked up wait for the same answer. */
  const lookUpOnce = (apiKey: string) => {
    const underway = lookups.get(apiKey);
    if (underway) return underway;
    const lookup = lookUp(apiKey).finally(() => lookups.delete(apiKey));
    lookups.set(apiKey, lookup);
    return lookup;
  };

  return {
    async verify(apiKey, apiSecret) {
      // All three for every key: what is spared for one that exists can be measured (bench --only sign-in).
      let credential = known.get(apiKey);
      const isLookedUp = unknown.get(apiKey) ?? false;
      const canBeKey = isApiKey(apiKey);
      if (!credential && !isLookedUp && canBeKey) credential = await lookUpOnce(apiKey);
      const { hash, merchant, usable } = credential ?? nobody;
      return secretMatches(peppers, hash, apiSecret) && usable ? merchant : undefined;
    },
    forget(apiKey) {
      known.delete(apiKey);
    },
  };
}

const KNOWN_KEYS_MAX = 10_000;
const UNKNOWN_KEYS_MAX = 1_000;
