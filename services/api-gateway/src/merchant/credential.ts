import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { KeyRing } from "@holdfast/service-runtime";
import type { Restrictions } from "./restrictions.ts";

/**
 * A key names a credential and is not secret. A secret is 256 random bits, of which only the hash of an HMAC is
 * stored, under a pepper that is not in the database: a database dump cannot verify a secret. A slow hash would
 * add nothing to 256 random bits, and would make every wrong sign-in expensive.
 */
export type NewCredential = {
  apiKey: string;
  apiSecret: string;
  livemode: boolean;
  hash: SecretHash;
} & Restrictions;

/** SHA-256 of a secret's HMAC-SHA-256, and the id of the pepper that keyed that. */
export type SecretHash = { secretHash: Buffer; pepperId: string };

/** The mode of a credential is in its key and nowhere else: `hk_live_…` or `hk_test_…`. */
export function issueCredential(
  peppers: KeyRing,
  { livemode, ...restrictions }: { livemode: boolean } & Restrictions = { livemode: true },
): NewCredential {
  const apiSecret = `hs_${randomBytes(32).toString("base64url")}`;
  return {
    apiKey: `hk_${livemode ? "live" : "test"}_${randomBytes(18).toString("base64url")}`,
    apiSecret,
    livemode,
    hash: hashSecret(peppers, apiSecret),
    ...restrictions,
  };
}

/** The mode and the restrictions of a credential, as a request has them. */
export function askedCredential({
  livemode,
  expiresAt,
  addresses,
}: {
  livemode: boolean;
  expiresAt?: string | undefined;
  addresses?: string[] | undefined;
}): { livemode: boolean } & Restrictions {
  return { livemode, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt), addresses };
}

/** True if a text has the form of a key, so that others are not looked up. */
export function isApiKey(text: string): boolean {
  return /^hk_(live|test)_[\w-]{24}$/.test(text);
}

export function isTestKey(apiKey: string): boolean {
  return apiKey.startsWith("hk_test_");
}

/**
 * A hash without a secret. It replaces the hash of an unknown credential, so that checking one takes as long.
 */
export function hashOfNothing({ activeId }: KeyRing): SecretHash {
  return { secretHash: randomBytes(32), pepperId: activeId };
}

/**
 * Makes one HMAC, one hash and one comparison for every outcome. A hash under a pepper that is not in the ring matches nothing:
 * another pepper must never vouch for it.
 */
export function secretMatches(
  peppers: KeyRing,
  { secretHash, pepperId }: SecretHash,
  presented: string,
): boolean {
  const pepper = peppers.keys.get(pepperId);
  const matches = timingSafeEqual(sha256(hmac(pepper ?? NO_PEPPER, presented)), secretHash);
  return matches && pepper !== undefined;
}

const NO_PEPPER = randomBytes(32);

/** A secret's hash under the active pepper. */
export function hashSecret({ activeId, keys }: KeyRing, apiSecret: string): SecretHash {
  return { secretHash: sha256(hmac(keys.get(activeId)!, apiSecret)), pepperId: activeId };
}

/** The proof that a secret is at hand: its HMAC under the pepper that its stored hash names. */
export function proofOfSecret({ keys }: KeyRing, { pepperId }: SecretHash, apiSecret: string): SecretProof {
  return { secretHmac: hmac(keys.get(pepperId)!, apiSecret), pepperId };
}

export type SecretProof = { secretHmac: Buffer; pepperId: string };

function hmac(pepper: Buffer, secret: string): Buffer {
  return createHmac("sha256", pepper).update(secret).digest();
}

function sha256(bytes: Buffer): Buffer {
  return hash("sha256", bytes, "buffer");
}
