import { credentialsChanged } from "@holdfast/contracts";
import { onNotice, publishNotice, type Bus } from "@holdfast/messaging";
import type { SignIn } from "./sign-in.ts";

/** Announces that a merchant's credentials must be read again: one was revoked, or the merchant has changed. */
export type AnnounceChange = (merchantId: string) => void;

export function announceCredentialChanges(bus: Bus): AnnounceChange {
  return (merchantId) => publishNotice(bus, credentialsChanged, { merchantId });
}

/**
 * Keeps a merchant API's cache of credentials current: it drops credentials immediately that an operator API
 * announces. While the bus is down it uses cached credentials until they are too old (CREDENTIAL_CACHE_TTL).
 */
export function followCredentialChanges(bus: Bus, signIn: SignIn): void {
  onNotice(bus, credentialsChanged, ({ merchantId }) => signIn.forget(merchantId));
}
