import { createHmac } from "node:crypto";
import type { KeyRing } from "@holdfast/service-runtime";

/**
 * A hash under the active key of the ring, and what it would be under each of the others: what was stored before a
 * rotation is compared with those, for as long as it counts.
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
