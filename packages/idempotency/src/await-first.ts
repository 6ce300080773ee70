import { setTimeout as delay } from "node:timers/promises";

/** Reads until the request that came first is no longer under way, or the time is over. @returns what it read last. */
export async function awaitFirst<Found>(
  read: () => Promise<Found>,
  isUnderWay: (found: Found) => boolean,
  { until, now }: { until: number; now: () => number },
): Promise<Found> {
  for (;;) {
    const found = await read();
    if (!isUnderWay(found) || now() + POLL_MS > until) return found;
    await delay(POLL_MS);
  }
}

const POLL_MS = 100;
