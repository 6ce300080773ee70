import { createHash } from "node:crypto";
import type { Found, Ledgers } from "../ledgers.ts";
import { bodyFieldsOf, eventIdOf, aboutPayments } from "./received-webhook.ts";

/**
 * Invariant 16. Every attempt of an event carries the same bytes, those that were committed, and a final state of a
 * payment is one event.
 */
export function anEndIsOneEvent({ received, outbox }: Ledgers): Found[] {
  const committed = new Map(outbox.map(({ eventId, body }) => [eventId, body]));
  const sent = aboutPayments(received).map((webhook) => {
    const { paymentId, status } = bodyFieldsOf(webhook);
    return { state: `${String(paymentId)} ${String(status)}`, eventId: eventIdOf(webhook) };
  });
  const owned = outbox.map(({ paymentId, status, eventId }) => ({
    state: `${paymentId} ${status}`,
    eventId,
  }));
  return [
    ...[...Map.groupBy(received, eventIdOf)].flatMap(([eventId, attempts]) => {
      const hashes = new Set(attempts.map(({ body }) => hashOf(body)));
      if (hashes.size > 1) return [{ ids: [eventId], what: `came with ${hashes.size} bodies` }];
      const own = committed.get(eventId);
      if (own === undefined || hashes.has(hashOf(own))) return [];
      return [{ ids: [eventId], what: "came with another body than was committed" }];
    }),
    ...[...Map.groupBy([...sent, ...owned], ({ state }) => state)].flatMap(([state, events]) => {
      const ids = new Set(events.map(({ eventId }) => eventId));
      return ids.size === 1 ? [] : [{ ids: [state, ...ids], what: `has ${ids.size} event ids` }];
    }),
  ];
}

function hashOf(body: Buffer | string): string {
  return createHash("sha256").update(body).digest("hex");
}
