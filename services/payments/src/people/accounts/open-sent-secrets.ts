import type { AccountCredentials, SealedReply } from "@holdfast/contracts";
import { createRingRecipient } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";

/** The public key to which credentials are sealed on their way here; absent without a key ring. */
export function sealToOf(ring: KeyRing | undefined): { sealTo?: string } {
  return ring ? { sealTo: createRingRecipient(ring).publicKey } : {};
}

/**
 * Opens the credentials of a request. During a key rotation they may be sealed to any key of the ring.
 * @param owner the required owner: an account's id, or the name of a new account.
 * @returns undefined if no key of ours opens them, or they are another account's.
 */
export function openSentSecrets(
  ring: KeyRing | undefined,
  sealedSecrets: SealedReply,
  owner: string,
): AccountCredentials["secrets"] | undefined {
  const opened = ring && createRingRecipient(ring).open(sealedSecrets);
  if (!opened) return undefined;
  const credentials = JSON.parse(opened.toString()) as AccountCredentials;
  return credentials.for === owner ? credentials.secrets : undefined;
}
