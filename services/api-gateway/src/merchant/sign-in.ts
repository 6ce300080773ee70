import { merchantIdOf, type MessageContext } from "@holdfast/contracts";
import { DatabaseUnavailableError } from "@holdfast/postgres";
import { type KeyRing } from "@holdfast/service-runtime";
import { LRUCache } from "lru-cache";
import { hashOfNothing, isApiKey, secretMatches, type SecretHash } from "./credential.ts";
import type { NoteUse } from "./note-use.ts";
import type { Rehash } from "./rehash.ts";
import type { MayUse } from "./restrictions.ts";

/** The merchant as commands on the bus carry it, with its id in the mode of the key. */
export type SignedInMerchant = MessageContext["merchant"];

/** A credential as it is stored, with its merchant. */
export type StoredCredential = {
  hash: SecretHash;
  merchant: SignedInMerchant;
  /** Neither revoked, nor its merchant suspended. */
  usable: boolean;
  /** The credential's restrictions; absent if it has none. */
  mayUse?: MayUse;
  /** The stored day of its last use, counted from 1970; absent before its first use. */
  lastUsedDay?: number | undefined;
};

export type SignInDeps = {
  /** @throws DatabaseUnavailableError */
  findCredential: (apiKey: string) => Promise<StoredCredential | undefined>;
  peppers: KeyRing;
  /** Moves a credential to the active pepper, after a sign-in with its secret. */
  rehash: Rehash;
  noteUse: NoteUse;
  cacheTtlMs: number;
  /** Attempts that wait for the database at the same time; one more cannot be decided. */
  waitingMax: number;
  /** Monotonic milliseconds. */
  clock: { now(): number };
};

export type SignIn = {
  /**
   * @param address the client's address.
   * @throws DatabaseUnavailableError if the credential is not cached and cannot be read, or too many callers
   * wait for the database.
   */
  verify(apiKey: string, apiSecret: string, address: string): Promise<SignedInMerchant | undefined>;
  /** Has the merchant's credentials read again at their next use: one was revoked, or the merchant has changed. */
  forget(merchantId: string): void;
};

/**
 * Authenticates merchants. Each attempt costs one HMAC and one comparison of 32 bytes, whether the key exists
 * or not.
 *
 * A credential is cached for `cacheTtlMs` from the start of its look-up, so a revocation takes effect
 * everywhere within that time, and immediately if `forget` is called. Unknown keys have a cache of their own:
 * an attacker who tries random keys cannot push out the valid ones.
 */
export function createSignIn(deps: SignInDeps): SignIn {
  const { findCredential, peppers, rehash, noteUse, waitingMax, clock } = deps;
  const known = cacheOf<StoredCredential>(KNOWN_KEYS_MAX, deps);
  const unknown = cacheOf<true>(UNKNOWN_KEYS_MAX, deps);
  const lookups = new Map<string, Promise<StoredCredential | undefined>>();
  let waiting = 0;
  /** Counts what was forgotten: a look-up that began before may have read an outdated row. */
  let generation = 0;
  const nothing = hashOfNothing(peppers);
  const nobody: StoredCredential = { hash: nothing, merchant: { merchantId: "" }, usable: false };

  const lookUp = async (apiKey: string) => {
    const start = clock.now();
    const began = generation;
    const found = await findCredential(apiKey);
    if (began !== generation) return found;
    if (found) known.set(apiKey, found, { start });
    else unknown.set(apiKey, true, { start });
    return found;
  };

  /** Requests that come while a key is being looked up wait for the same answer. */
  const lookUpOnce = (apiKey: string) => {
    const underway = lookups.get(apiKey);
    if (underway) return underway;
    const lookup = lookUp(apiKey).finally(() => {
      if (lookups.get(apiKey) === lookup) lookups.delete(apiKey);
    });
    lookups.set(apiKey, lookup);
    return lookup;
  };

  const waitForLookUp = async (apiKey: string) => {
    if (waiting >= waitingMax) throw new DatabaseUnavailableError("too many sign-ins wait for the database");
    waiting++;
    try {
      return await lookUpOnce(apiKey);
    } finally {
      waiting--;
    }
  };

  return {
    async verify(apiKey, apiSecret, address) {
      // All three are done for every key: work that is saved for an existing one could be measured from outside.
      let credential = known.get(apiKey);
      const isLookedUp = unknown.get(apiKey) ?? false;
      const canBeKey = isApiKey(apiKey);
      if (!credential && !isLookedUp && canBeKey) credential = await waitForLookUp(apiKey);
      const { hash, merchant, usable } = credential ?? nobody;
      if (!secretMatches(peppers, hash, apiSecret) || !usable) return undefined;
      if (credential!.mayUse?.(address, Date.now()) === false) return undefined;
      if (hash.pepperId !== peppers.activeId) rehash(apiKey, credential!, apiSecret);
      noteUse(apiKey, credential!);
      return merchant;
    },
    forget(merchantId) {
      generation++;
      lookups.clear();
      for (const [apiKey, { merchant }] of known.entries()) {
        if (merchantIdOf(merchant.merchantId) === merchantId) known.delete(apiKey);
      }
    },
  };
}

/** Memory is taken with the keys: the library's `max` would take it for each place at the start. */
function cacheOf<Value extends object | true>(maxSize: number, { cacheTtlMs, clock }: SignInDeps) {
  // A resolution of its own would take a timer, and a time that is a moment old.
  const aging = { ttl: cacheTtlMs, ttlResolution: 0, perf: clock };
  return new LRUCache<string, Value>({ maxSize, sizeCalculation: () => 1, ...aging });
}

const KNOWN_KEYS_MAX = 10_000;
const UNKNOWN_KEYS_MAX = 1_000;
