import { createHmac } from "node:crypto";

/**
 * What makes two requests the same: their fields as parsed, in a fixed order, so that `12.5` and `12.50` are one. Keyed,
 * because the fields may be guessable. Callers leave the cvv out and put the keyed hash of the card number in.
 */
export function fingerprintRequest(key: Buffer, fields: readonly (string | number | null)[]): Buffer {
  return createHmac("sha256", key).update("idempotency\n").update(JSON.stringify(fields)).digest();
}
