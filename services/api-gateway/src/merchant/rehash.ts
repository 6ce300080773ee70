import type { KeyRing } from "@holdfast/service-runtime";
import { createBackgroundWrites } from "./background-writes.ts";
import { hashSecret, proofOfSecret, type SecretHash, type SecretProof } from "./credential.ts";
import type { StoredCredential } from "./sign-in.ts";

/** Moves a credential that has just signed in to the active pepper. It returns immediately; the sign-in does not wait. */
export type Rehash = (apiKey: string, credential: StoredCredential, apiSecret: string) => void;

export type RehashDeps = {
  peppers: KeyRing;
  /** Changes the row if it still is under the pepper it was read under, and the credential is not revoked. */
  replaceHash: (apiKey: string, from: SecretProof, to: SecretHash) => Promise<void>;
  /** The next sign-in tries again. */
  onFailed: (error: unknown) => void;
};

/**
 * A hash can only move to another pepper while its secret is at hand, which is at a sign-in. The cached credential changes
 * with the row.
 */
export function createRehash({ peppers, replaceHash, onFailed }: RehashDeps): Rehash {
  const write = createBackgroundWrites(onFailed);
  return (apiKey, credential, apiSecret) =>
    write(apiKey, async () => {
      const hash = hashSecret(peppers, apiSecret);
      await replaceHash(apiKey, proofOfSecret(peppers, credential.hash, apiSecret), hash);
      // The hash is correct even if another process wrote one first: it belongs to the secret that has just
      // matched.
      credential.hash = hash;
    });
}
