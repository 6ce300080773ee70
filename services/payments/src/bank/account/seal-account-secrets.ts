import { openAtRest, sealAtRest, type RestKeyRing } from "@holdfast/sealing";

/** The row to which sealed credentials are bound, so that they cannot be used as another's. */
export type SealBinding = { accountId: string; version: number; protocol: string };

/** Seals an account's credentials for the database. */
export function sealAccountSecrets(ring: RestKeyRing, binding: SealBinding, secrets: unknown): Buffer {
  return sealAtRest(ring, ownerOf(binding), JSON.stringify(secrets));
}

/** @throws SecretUnreadableError; an Error without a ring. */
export function openAccountSecrets(
  ring: RestKeyRing | undefined,
  binding: SealBinding,
  sealed: Buffer,
): unknown {
  if (!ring) throw new Error("ACCOUNT_SECRET_KEYS is not set");
  return JSON.parse(openAtRest(ring, ownerOf(binding), sealed)) as unknown;
}

function ownerOf({ accountId, version, protocol }: SealBinding): string {
  return `${accountId}|${version}|${protocol}`;
}
