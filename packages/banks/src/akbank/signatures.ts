import { createHmac } from "node:crypto";

import { isSameSignature } from "@holdfast/acquirer/kit";

/** The bank's signature: of the bytes of a body, or of values with nothing between them. The key is ASCII, and not decoded. */
export function signatureOf(secretKey: string, ...signed: readonly string[]): string {
  return createHmac("sha512", secretKey).update(signed.join("")).digest("base64");
}

/**
 * Each signed value's form has to be checked before: otherwise the end of one could pass as the beginning of
 * the next.
 */
export function isSignature(given: string, secretKey: string, ...signed: readonly string[]): boolean {
  return isSameSignature(given, signatureOf(secretKey, ...signed));
}
