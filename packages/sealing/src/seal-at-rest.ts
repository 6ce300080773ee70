import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Keys of 32 bytes by id; the active one seals, and each of them opens. */
export type RestKeyRing = { activeId: string; keys: ReadonlyMap<string, Buffer> };

/** The secret's key is no longer in the ring, or the stored bytes were changed or belong to something else. */
export class SecretUnreadableError extends Error {
  override name = "SecretUnreadableError";
  readonly code = "secret_unreadable";
}

/**
 * Seals a text or bytes for the database: AES-256-GCM (NIST SP 800-38D) under the ring's active key. The form
 * is version, key id with its length, nonce, ciphertext, tag.
 *
 * @param owner the row that it belongs to, so that rows cannot be exchanged; it is authenticated and not stored.
 */
export function sealAtRest(ring: RestKeyRing, owner: string, content: string | Buffer): Buffer {
  const id = Buffer.from(ring.activeId);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, ring.keys.get(ring.activeId)!, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(content)), cipher.final()]);
  return Buffer.concat([Buffer.from([VERSION, id.length]), id, nonce, ciphertext, cipher.getAuthTag()]);
}

/** @throws SecretUnreadableError */
export function openAtRest(ring: RestKeyRing, owner: string, stored: Buffer): string {
  return openBytesAtRest(ring, owner, stored).toString("utf8");
}

/** @throws SecretUnreadableError */
export function openBytesAtRest(ring: RestKeyRing, owner: string, stored: Buffer): Buffer {
  const idEnds = 2 + (stored[1] ?? 0);
  const key = ring.keys.get(restKeyIdOf(stored));
  if (stored[0] !== VERSION || !key)
    throw new SecretUnreadableError("no key of the ring has encrypted this secret");
  try {
    const decipher = createDecipheriv(CIPHER, key, stored.subarray(idEnds, idEnds + NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(stored.subarray(-TAG_BYTES));
    const ciphertext = stored.subarray(idEnds + NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch (cause) {
    throw new SecretUnreadableError("a secret was changed where it is stored", { cause });
  }
}

/** The id of the key that sealed a stored value. */
export function restKeyIdOf(stored: Buffer): string {
  return stored.toString("utf8", 2, 2 + (stored[1] ?? 0));
}

const VERSION = 1;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
