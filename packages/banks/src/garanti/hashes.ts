import { createHash } from "node:crypto";

import { isSameSignature } from "@holdfast/acquirer/kit";

/**
 * The bank's hash of values without separators. Each signed value's form has to be checked before it is read:
 * otherwise the end of one could pass as the beginning of the next. Secrets and values are ASCII.
 */
export function hashOf(...values: readonly string[]): string {
  return createHash("sha512").update(values.join("")).digest("hex").toUpperCase();
}

/** The part of a hash that represents a user's password. */
export function securityData(password: string, terminalId: string): string {
  return createHash("sha1")
    .update(password + terminalId.padStart(9, "0"))
    .digest("hex")
    .toUpperCase();
}

/** @param given the hash as the bank sent it, in any case. */
export function isHash(given: string, ...values: readonly string[]): boolean {
  return isSameSignature(given.trim().toUpperCase(), hashOf(...values));
}
