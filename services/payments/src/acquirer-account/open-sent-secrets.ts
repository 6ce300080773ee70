import type { AccountCredentials, SealedReply } from "@holdfast/contracts";
import { createKeyedRecipient } from "@holdfast/sealing";
import type { KeyRing } from "@holdfast/service-runtime";

type Sent<Secrets> = { secrets?: Secrets | undefined; sealedSecrets?: SealedReply | undefined };

/** The public key that credentials are sealed to on their way here; none without a key ring. */
export function sealToOf(ring: KeyRing | undefined): { sealTo?: string } {
  const key = ring?.keys.get(ring.activeId);
  return key ? { sealTo: createKeyedRecipient(key).publicKey } : {};
}

/**
 * The credentials that a request brings, sealed or, from a gateway of the version before, in clear. While keys are replaced the
 * public key may be that of an older one.
 * @param owner whose they have to be: an account's id, or the name of one that is made.
 * @returns the credentials, if the request has any; undefined where no key of ours opens them, or they are another account's.
 */
export function openSentSecrets<Secrets extends object>(
  ring: KeyRing | undefined,
  { secrets, sealedSecrets }: Sent<Secrets>,
  owner: string,
): { secrets?: Secrets | undefined } | undefined {
  if (!sealedSecrets) return { secrets };
  for (const key of ring?.keys.values() ?? []) {
    const opened = tryToOpen(key, sealedSecrets);
    if (opened === undefined) continue;
    const credentials = JSON.parse(opened) as AccountCredentials;
    return credentials.for === owner ? { secrets: credentials.secrets as Secrets } : undefined;
  }
  return undefined;
}

function tryToOpen(key: Buffer, sealed: SealedReply): string | undefined {
  try {
    return createKeyedRecipient(key).open(sealed);
  } catch {
    // Sealed to another key of the ring, or to nobody.
    return undefined;
  }
}
