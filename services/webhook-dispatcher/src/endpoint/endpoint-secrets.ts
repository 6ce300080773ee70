import { randomBytes } from "node:crypto";
import { openAtRest, sealAtRest, SecretUnreadableError } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";
import type { StoredEndpoint } from "./stored-endpoint.ts";

/** 256 random bits, as text that a merchant can paste; the text's bytes are the HMAC key. */
export function generateSecret(): string {
  return `whs_${randomBytes(32).toString("base64url")}`;
}

/** Encrypts a secret for the database, bound to its endpoint, so that rows cannot be exchanged. */
export const encryptSecret = (ring: KeyRing, endpointId: string, secret: string): Buffer =>
  sealAtRest(ring, endpointId, secret);

/** @throws SecretUnreadableError */
export const decryptSecret = (ring: KeyRing, endpointId: string, stored: Buffer): string =>
  openAtRest(ring, endpointId, stored);

/** The secrets of an endpoint that sign at a given time. */
export type SigningSecrets<Secret> = {
  current: { secret: Secret; version: number };
  /** The next secret, generated and not active yet. */
  next?: { secret: Secret; version: number };
};

/** The secrets that sign now, decrypted; undefined when one of them cannot be read. */
export type OpenSecrets = (
  endpointId: string,
  secrets: SigningSecrets<Buffer>,
) => SigningSecrets<string> | undefined;

/**
 * Opens secrets, and keeps what it has opened lately: each delivery signs with a secret, and its endpoint has had the
 * same one for months. They are found by the encrypted bytes, so a rotated secret, or one that was encrypted again, is
 * opened itself.
 */
export function createSecretOpener(ring: KeyRing): OpenSecrets {
  const opened = new Map<string, string>();
  const open = (endpointId: string, { secret, version }: { secret: Buffer; version: number }) => {
    const key = `${endpointId}:${secret.toString("latin1")}`;
    const known = opened.get(key);
    if (known !== undefined) return { secret: known, version };
    const text = decryptSecret(ring, endpointId, secret);
    if (opened.size >= OPENED_MAX) opened.clear();
    opened.set(key, text);
    return { secret: text, version };
  };
  return (endpointId, { current, next }) => {
    try {
      return { current: open(endpointId, current), ...(next && { next: open(endpointId, next) }) };
    } catch (error) {
      if (error instanceof SecretUnreadableError) return undefined;
      throw error;
    }
  };
}

/** Secrets that are kept open in this process. */
const OPENED_MAX = 10_000;

/** A rotated secret becomes the only one at its time, whether or not the row has been changed by then. */
export function signingSecrets(endpoint: StoredEndpoint, now: Date): SigningSecrets<Buffer> {
  const { secret, secret_version, next_secret, next_version, activates_at } = endpoint;
  const current = { secret, version: secret_version };
  if (next_secret === null || next_version === null || activates_at === null) return { current };
  const next = { secret: next_secret, version: next_version };
  return now >= activates_at ? { current: next } : { current, next };
}
