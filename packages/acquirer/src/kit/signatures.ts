import { createHmac, timingSafeEqual } from "node:crypto";

/** HMAC-SHA-256 in lower-case hexadecimal; text is taken as UTF-8. */
export function hmacHex(key: string, signed: string | Buffer): string {
  return createHmac("sha256", key).update(signed).digest("hex");
}

/** Compares a signature with the computed one in constant time. */
export function isSameSignature(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
