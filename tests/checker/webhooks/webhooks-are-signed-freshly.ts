import { createHmac } from "node:crypto";
import type { Found, Ledgers, ReceivedWebhook, Rules } from "../ledgers.ts";
import { eventIdOf, headerOf } from "./received-webhook.ts";

/**
 * Invariant 15. On each attempt both signatures are right, under a secret of the receiver's merchant, and at
 * most a moment old when it arrives, not counting the time for which the dispatcher's process was stopped.
 */
export function webhooksAreSignedFreshly({ received, rules }: Ledgers): Found[] {
  return received.flatMap((webhook) => {
    const secrets = rules.receivers.find(({ path }) => path === webhook.path)?.secrets ?? [];
    return doubtsAbout(webhook, secrets, rules).map((what) => ({ ids: [eventIdOf(webhook)], what }));
  });
}

function doubtsAbout(
  webhook: ReceivedWebhook,
  secrets: string[],
  { dispatcherStops }: Pick<Rules, "dispatcherStops">,
): string[] {
  const time = headerOf(webhook, "x-request-time");
  const signature = headerOf(webhook, "x-request-signature");
  const digests = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${time}:`).update(webhook.body).digest("hex"),
  );
  const [id, type] = [headerOf(webhook, "x-event-id"), headerOf(webhook, "x-event-type")];
  const second = headerOf(webhook, "x-request-signature-v2");
  const seconds = secrets.map((secret) =>
    createHmac("sha256", secret).update(`v2:${time}:${id}:${type}:`).update(webhook.body).digest("hex"),
  );
  const ageMs = webhook.arrivedAt - Number(time);
  const stoodStill = dispatcherStops.map(
    ({ fromMs, untilMs }) => Math.min(untilMs, webhook.arrivedAt) - Math.max(fromMs, Number(time)),
  );
  return [
    ...(/^[0-9a-f]{64}$/.test(signature) && digests.includes(signature) ? [] : ["its signature is wrong"]),
    ...(seconds.includes(second) ? [] : ["its second signature is wrong"]),
    ...(/^\d{13}$/.test(time) ? [] : [`its x-request-time is "${time}"`]),
    ...(Math.abs(ageMs - Math.max(0, ...stoodStill)) >= FRESH_MS
      ? [`was signed ${ageMs} ms before it arrived`]
      : []),
  ];
}

const FRESH_MS = 15_000;
