import { createHmac } from "node:crypto";
import type { Found, Ledgers, ReceivedWebhook } from "../ledgers.ts";
import { eventIdOf, headerOf } from "./received-webhook.ts";

/**
 * Invariant 15. On each attempt the signature is the spec's, under a secret of the merchant whose receiver it is, and no
 * older than a moment when it arrives.
 */
export function webhooksAreSignedFreshly({ received, rules }: Ledgers): Found[] {
  return received.flatMap((webhook) => {
    const secrets = rules.receivers.find(({ path }) => path === webhook.path)?.secrets ?? [];
    return doubtsAbout(webhook, secrets).map((what) => ({ ids: [eventIdOf(webhook)], what }));
  });
}

function doubtsAbout(webhook: ReceivedWebhook, secrets: string[]): string[] {
  const time = headerOf(webhook, "x-request-time");
  const signature = headerOf(webhook, "x-request-signature");
  const digests = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${time}:`).update(webhook.body).digest("hex"),
  );
  const ageMs = webhook.arrivedAt - Number(time);
  return [
    ...(/^[0-9a-f]{64}$/.test(signature) && digests.includes(signature) ? [] : ["its signature is wrong"]),
    ...(/^\d{13}$/.test(time) ? [] : [`its x-request-time is "${time}"`]),
    ...(Math.abs(ageMs) >= FRESH_MS ? [`was signed ${ageMs} ms before it arrived`] : []),
  ];
}

const FRESH_MS = 5_000;
