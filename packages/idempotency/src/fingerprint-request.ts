import { createHmac } from "node:crypto";

/**
 * Two requests are the same when their parsed fields are, in a fixed order, so that `12.5` and `12.50` are one. The
 * hash is keyed because the fields may be guessable. Callers leave the cvv out and include the card number as its keyed
 * hash.
 */
export function fingerprintRequest(key: Buffer, fields: readonly (string | number | null)[]): Buffer {
  return createHmac("sha256", key).update("idempotency\n").update(JSON.stringify(fields)).digest();
}
