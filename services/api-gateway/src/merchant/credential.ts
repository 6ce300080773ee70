import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { KeyRing } from "@holdfast/service-runtime";

/**
 * A key names a credential and is no secret; a secret is 256 random bits, of which only an HMAC is kept, under a pepper
 * that is not in the database: a dump of it verifies nothing. A slow hash would add nothing to 256 random bits, and
 * would make every wrong sign-in expensive.
 */
export type NewCredential = { apiKey: string; apiSecret: string; livemode: boolean; hash: SecretHash };

/** HMAC-SHA-256 of a secret, and the id of the pepper that keyed it. */
export type SecretHash = { secretHmac: Buffer; pepperId: string };

/**
 * The mode of a credential is in its key and nowhere else: `hk_live_…` or `hk_test_…`. A test key has 66 characters, two
 * more than a gateway of the version before takes for a key, which would sign it in as a live one.
 */
export function issueCredential(peppers: KeyRing, { livemode } = { livemode: true }): NewCredential {
  const apiSecret = `hs_${randomBytes(32).toString("base64url")}`;
  const name = randomBytes(livemode ? LIVE_KEY_BYTES : TEST_KEY_BYTES).toString("base64url");
  return {
    apiKey: `${livemode ? "hk_live_" : "hk_test_"}${name}`,
    apiSecret,
    livemode,
    hash: hashSecret(peppers, apiSecret),
  };
}

const LIVE_KEY_BYTES = 18;
const TEST_KEY_BYTES = 43;

/** Whether a text can be a key at all; others are not looked up. Keys of before there were modes are live. */
export function isApiKey(text: string): boolean {
  return /^hk_[\w-]{24,61}$/.test(text) || isTestKey(text);
}

/** Whether a key is of test mode: by all of its form, since a key of before may begin with the same letters. */
export function isTestKey(apiKey: string): boolean {
  return /^hk_test_[\w-]{58}$/.test(apiKey);
}

/** A hash that no secret has. It stands in for a credential that does not exist, so that checking one takes as long. */
export function hashOfNothing({ activeId }: KeyRing): SecretHash {
  return { secretHmac: randomBytes(32), pepperId: activeId };
}

/**
 * Always one HMAC and one comparison, whatever the outcome. A hash under a pepper that is not in the ring matches nothing:
 * another pepper must never vouch for it.
 */
export function secretMatches(
  peppers: KeyRing,
  { secretHmac, pepperId }: SecretHash,
  presented: string,
): boolean {
  const pepper = peppers.keys.get(pepperId);
  const matches = timingSafeEqual(hmac(pepper ?? NO_PEPPER, presented), secretHmac);
  return matches && pepper !== undefined;
}

const NO_PEPPER = randomBytes(32);

/** A secret's hash under the active pepper. */
export function hashSecret({ activeId, keys }: KeyRing, apiSecret: string): SecretHash {
  return { secretHmac: hmac(keys.get(activeId)!, apiSecret), pepperId: activeId };
}

function hmac(pepper: Buffer, secret: string): Buffer {
  return createHmac("sha256", pepper).update(secret).digest();
}
