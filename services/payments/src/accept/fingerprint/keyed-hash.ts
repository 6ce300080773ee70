import { createHmac } from "node:crypto";
import type { KeyRing } from "@holdfast/service-runtime";

/**
 * A hash under the ring's active key, and the same value's hashes under each other key. A value that was
 * stored before a rotation is compared with the older hashes, for as long as it counts.
 */
export type KeyedHash = { hash: Buffer; older: Buffer[] };

/** @param hashUnder the hash under one key. */
export function underEachKey({ activeId, keys }: KeyRing, hashUnder: (key: Buffer) => Buffer): KeyedHash {
  const older = [...keys].filter(([id]) => id !== activeId);
  return { hash: hashUnder(keys.get(activeId)!), older: older.map(([, key]) => hashUnder(key)) };
}

/** A card number's fingerprint under one key. */
export function panFingerprint(key: Buffer, pan: string): Buffer {
  return createHmac("sha256", key).update(pan).digest();
}
