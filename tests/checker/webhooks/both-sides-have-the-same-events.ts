import type { Found, Ledgers } from "../ledgers.ts";

/** Invariant 24. Every event is confirmed to its owner, and the dispatcher has exactly the owners' events. */
export function bothSidesHaveTheSameEvents({ outbox, acceptedEvents }: Ledgers): Found[] {
  const owned = new Set(outbox.map(({ eventId }) => eventId));
  const taken = new Set(acceptedEvents.map(({ eventId }) => eventId));
  return [
    ...outbox
      .filter(({ confirmed }) => !confirmed)
      .map(({ eventId, paymentId }) => ({ ids: [eventId, paymentId], what: "is not confirmed" })),
    ...[...owned.difference(taken)].map((id) => ({ ids: [id], what: "the dispatcher lacks it" })),
    ...[...taken.difference(owned)].map((id) => ({
      ids: [id],
      what: "the dispatcher has it, no owner does",
    })),
  ];
}
