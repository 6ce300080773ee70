import type { Found, Ledgers, Rules } from "../ledgers.ts";
import { eventIdOf, isSuccess } from "./received-webhook.ts";

/**
 * Invariant 14. Every final state of a merchant with webhooks was answered 2xx at least once, or has failed for good
 * after exactly the attempts that the schedule has.
 */
export function everyEndArrives({ outbox, received, acceptedEvents, rules }: Ledgers): Found[] {
  const enabled = new Set(rules.receivers.map(({ merchantId }) => merchantId));
  const attempts = Map.groupBy(received, eventIdOf);
  const failed = new Set(
    acceptedEvents.filter(({ outcome }) => outcome === "failed").map(({ eventId }) => eventId),
  );
  return outbox.flatMap(({ eventId, merchantId, paymentId }) => {
    const made = attempts.get(eventId) ?? [];
    if (!enabled.has(merchantId) || made.some(isSuccess)) return [];
    const ids = [eventId, paymentId];
    if (!failed.has(eventId)) return [{ ids, what: "was neither delivered nor failed" }];
    const expected = attemptsWithin(rules);
    if (made.length === expected) return [];
    return [{ ids, what: `failed after ${made.length} attempts, not ${expected}` }];
  });
}

/** The number of attempts for which the table has room before the window is over, if each fails immediately. */
function attemptsWithin({ retryDelaysMs, retryWindowMs }: Rules): number {
  let at = 0;
  for (let attempts = 1; ; attempts++) {
    at += retryDelaysMs[Math.min(attempts, retryDelaysMs.length) - 1] ?? retryWindowMs + 1;
    if (at > retryWindowMs) return attempts;
  }
}
