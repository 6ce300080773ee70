import type { AccountCredentials, SealedReply } from "@holdfast/contracts";
import { createKeyedRecipient } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";

/** The public key that credentials are sealed to on their way here; none without a key ring. */
export function sealToOf(ring: KeyRing | undefined): { sealTo?: string } {
  const key = ring?.keys.get(ring.activeId);
  return key ? { sealTo: createKeyedRecipient(key).publicKey } : {};
}

/**
 * Opens the credentials that a request brings. While keys are replaced they may be sealed to any key of the ring.
 * @param owner whose they have to be: an account's id, or the name of one that is made.
 * @returns undefined where no key of ours opens them, or they are another account's.
 */
export function openSentSecrets(
  ring: KeyRing | undefined,
  sealedSecrets: SealedReply,
  owner: string,
): AccountCredentials["secrets"] | undefined {
  for (const key of ring?.keys.values() ?? []) {
    const opened = tryToOpen(key, sealedSecrets);
    if (opened === undefined) continue;
    const credentials = JSON.parse(opened) as AccountCredentials;
    return credentials.for === owner ? credentials.secrets : undefined;
  }
  return undefined;
}

function tryToOpen(key: Buffer, sealed: SealedReply): string | undefined {
  try {
    return createKeyedRecipient(key).open(sealed);
  } catch {
    // Sealed to another key of the ring, or to none of it.
    return undefined;
  }
}
