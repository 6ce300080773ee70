import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { KeyRing } from "@holdfast/service-runtime";
import type { StoredEndpoint } from "./stored-endpoint.ts";

/** 256 random bits, as text that a merchant can paste; the text's bytes are the HMAC key. */
export function generateSecret(): string {
  return `whs_${randomBytes(32).toString("base64url")}`;
}

/**
 * Encrypts a secret for the database: AES-256-GCM under a key of the ring, bound to its merchant, so that rows cannot
 * be exchanged. The form is version, key id with its length, nonce, ciphertext, tag.
 */
export function encryptSecret(ring: KeyRing, merchantId: string, secret: string): Buffer {
  const id = Buffer.from(ring.activeId);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, ring.keys.get(ring.activeId)!, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(merchantId));
  const ciphertext = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from([VERSION, id.length]), id, nonce, ciphertext, cipher.getAuthTag()]);
}

/** The secret's key is no longer in the ring, or the stored bytes were changed. */
export class SecretUnreadableError extends Error {
  override name = "SecretUnreadableError";
  readonly code = "secret_unreadable";
}

/** @throws SecretUnreadableError */
export function decryptSecret(ring: KeyRing, merchantId: string, stored: Buffer): string {
  const idEnds = 2 + (stored[1] ?? 0);
  const key = ring.keys.get(stored.toString("utf8", 2, idEnds));
  if (stored[0] !== VERSION || !key)
    throw new SecretUnreadableError("no key of the ring has encrypted this secret");
  try {
    const decipher = createDecipheriv(CIPHER, key, stored.subarray(idEnds, idEnds + NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(merchantId));
    decipher.setAuthTag(stored.subarray(-TAG_BYTES));
    const ciphertext = stored.subarray(idEnds + NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new SecretUnreadableError("a secret was changed where it is stored", { cause });
  }
}

const VERSION = 1;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secrets of an endpoint that sign at a given time. */
export type SigningSecrets<Secret> = {
  current: { secret: Secret; version: number };
  /** Generated and not active yet. */
  next?: { secret: Secret; version: number };
};

/** The secrets that sign now, decrypted; undefined when one of them cannot be read. */
export function openSecrets(
  ring: KeyRing,
  merchantId: string,
  { current, next }: SigningSecrets<Buffer>,
): SigningSecrets<string> | undefined {
  const open = ({ secret, version }: { secret: Buffer; version: number }) => ({
    secret: decryptSecret(ring, merchantId, secret),
    version,
  });
  try {
    return { current: open(current), ...(next && { next: open(next) }) };
  } catch (error) {
    if (error instanceof SecretUnreadableError) return undefined;
    throw error;
  }
}

/** A rotated secret becomes the only one at its time, whether or not the row has been changed by then. */
export function signingSecrets(endpoint: StoredEndpoint, now: Date): SigningSecrets<Buffer> {
  const { secret, secret_version, next_secret, next_version, activates_at } = endpoint;
  const current = { secret, version: secret_version };
  if (next_secret === null || next_version === null || activates_at === null) return { current };
  const next = { secret: next_secret, version: next_version };
  return now >= activates_at ? { current: next } : { current, next };
}
