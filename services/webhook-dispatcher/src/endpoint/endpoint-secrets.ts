import { randomBytes } from "node:crypto";
import { openAtRest, sealAtRest, SecretUnreadableError } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";
import { openHeaders } from "./endpoint-headers.ts";
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

/** The secrets of an endpoint that a request at a given time has. */
export type SigningSecrets<Secret> = {
  current: { secret: Secret; version: number };
  /** The next secret, generated and not active yet. */
  next?: { secret: Secret; version: number };
  /** The headers that its owner adds. */
  headers?: Secret;
};

/** The present signing secrets, decrypted; undefined if one of them cannot be read. */
export type OpenSecrets = (
  endpointId: string,
  secrets: SigningSecrets<Buffer>,
) => SigningSecrets<string> | undefined;

/**
 * Opens secrets, and caches recently opened ones: each delivery signs with a secret, and an endpoint keeps
 * its secret for months. The cache's key is the encrypted bytes, so a rotated or newly encrypted secret is
 * opened again.
 */
export function createSecretOpener(ring: KeyRing): OpenSecrets {
  const opened = new Map<string, string>();
  const openOnce = (endpointId: string, stored: Buffer, openStored: OpenStored) => {
    const key = `${endpointId}:${stored.toString("latin1")}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    const text = openStored(ring, endpointId, stored);
    if (opened.size >= OPENED_MAX) opened.clear();
    opened.set(key, text);
    return text;
  };
  const open = (endpointId: string, { secret, version }: { secret: Buffer; version: number }) => ({
    secret: openOnce(endpointId, secret, decryptSecret),
    version,
  });
  return (endpointId, { current, next, headers }) => {
    try {
      return {
        current: open(endpointId, current),
        ...(next && { next: open(endpointId, next) }),
        ...(headers && { headers: openOnce(endpointId, headers, openHeaders) }),
      };
    } catch (error) {
      if (error instanceof SecretUnreadableError) return undefined;
      throw error;
    }
  };
}

type OpenStored = (ring: KeyRing, endpointId: string, stored: Buffer) => string;

/** Secrets that are kept open in this process. */
const OPENED_MAX = 10_000;

/** A rotated secret becomes the only one at its time, whether or not the row has been changed by then. */
export function signingSecrets(endpoint: StoredEndpoint, now: Date): SigningSecrets<Buffer> {
  const { secret, secret_version, next_secret, next_version, activates_at, headers } = endpoint;
  const current = { secret, version: secret_version };
  const added = headers && { headers };
  if (next_secret === null || next_version === null || activates_at === null) return { current, ...added };
  const next = { secret: next_secret, version: next_version };
  return now >= activates_at ? { current: next, ...added } : { current, next, ...added };
}
