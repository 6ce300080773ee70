/**
 * The first day, in epoch milliseconds, whose events are kept: retention drops the days before it. An event of an
 * earlier day that arrives is not delivered, since it may have been delivered long ago.
 */
export function firstKeptDay(nowMs: number, eventDays: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS - eventDays * DAY_MS;
}

/**
 * The time since which owners may compare their events with those that are here, in epoch milliseconds: a day less, so
 * that no day is dropped while it is compared.
 */
export function comparableSince(nowMs: number, eventDays: number): number {
  return firstKeptDay(nowMs, eventDays) + DAY_MS;
}

/** The time until which an event of this time is kept, in epoch milliseconds. */
export function keptUntil(occurredMs: number, eventDays: number): number {
  return Math.floor(occurredMs / DAY_MS) * DAY_MS + (eventDays + 1) * DAY_MS;
}

const DAY_MS = 86_400_000;
