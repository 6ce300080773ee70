import { credentialsChanged } from "@holdfast/contracts";
import { onNotice, publishNotice, type Bus } from "@holdfast/messaging";
import type { SignIn } from "./sign-in.ts";

/** Announces that a merchant's credentials must be read again: one was revoked, or the merchant has changed. */
export type AnnounceChange = (merchantId: string) => void;

/**
 * Keeps the gateways' caches of credentials in step: what one announces, all forget immediately. While the bus is down,
 * only this process does; the others use what they have cached until it is too old (CREDENTIAL_CACHE_TTL).
 */
export function shareCredentialChanges(bus: Bus, signIn: SignIn): AnnounceChange {
  onNotice(bus, credentialsChanged, ({ merchantId }) => signIn.forget(merchantId));
  return (merchantId) => {
    signIn.forget(merchantId);
    publishNotice(bus, credentialsChanged, { merchantId });
  };
}
