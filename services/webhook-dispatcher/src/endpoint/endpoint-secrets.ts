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
  /** Generated and not active yet. */
  next?: { secret: Secret; version: number };
};

/** The secrets that sign now, decrypted; undefined when one of them cannot be read. */
export function openSecrets(
  ring: KeyRing,
  endpointId: string,
  { current, next }: SigningSecrets<Buffer>,
): SigningSecrets<string> | undefined {
  const open = ({ secret, version }: { secret: Buffer; version: number }) => ({
    secret: decryptSecret(ring, endpointId, secret),
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
