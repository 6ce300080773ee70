import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { KeyRing } from "@holdfast/service-runtime";

/** What sealed credentials are bound to: no row's can be used as another's. */
export type SealBinding = { accountId: string; version: number; protocol: string };

/**
 * Seals an account's credentials for the database: AES-256-GCM under the ring's active key. The form is version, key id with
 * its length, nonce, ciphertext, tag.
 */
export function sealAccountSecrets(ring: KeyRing, binding: SealBinding, secrets: unknown): Buffer {
  const id = Buffer.from(ring.activeId);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, ring.keys.get(ring.activeId)!, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(binding));
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(secrets), "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from([FORM, id.length]), id, nonce, ciphertext, cipher.getAuthTag()]);
}

/** Their key is no longer in the ring, or the stored bytes were changed or are another account's. */
export class AccountSecretsUnreadableError extends Error {
  override name = "AccountSecretsUnreadableError";
  readonly code = "account_secrets_unreadable";
}

/** @throws AccountSecretsUnreadableError */
export function openAccountSecrets(ring: KeyRing, binding: SealBinding, sealed: Buffer): unknown {
  const idEnds = 2 + (sealed[1] ?? 0);
  const key = ring.keys.get(keyIdOf(sealed));
  if (sealed[0] !== FORM || !key)
    throw new AccountSecretsUnreadableError("no key of ACCOUNT_SECRET_KEYS has sealed these credentials");
  try {
    const nonce = sealed.subarray(idEnds, idEnds + NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(binding));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const ciphertext = sealed.subarray(idEnds + NONCE_BYTES, -TAG_BYTES);
    const text = Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new AccountSecretsUnreadableError("sealed credentials were changed where they are stored", {
      cause,
    });
  }
}

/** The id of the key that sealed them. */
export function keyIdOf(sealed: Buffer): string {
  return sealed.toString("utf8", 2, 2 + (sealed[1] ?? 0));
}

function associatedData({ accountId, version, protocol }: SealBinding): Buffer {
  return Buffer.from(`${accountId}|${version}|${protocol}`);
}

const FORM = 1;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
