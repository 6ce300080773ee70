import { randomUUIDv7 } from "node:crypto";
import { confirmEvents, type EventSource } from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import { createNaturalBatcher } from "@holdfast/service-runtime";
import { outsideTraces } from "@holdfast/telemetry";
import type { BusinessEvents } from "../business-events.ts";

/** Tells the owners which of their events are committed here, so that they may close the rows. */
export type Confirmations = {
  /** Nobody waits for it: a confirmation that is lost is asked for again by the owner's next copy. */
  add(source: EventSource, eventId: string): void;
  /** Sends what is gathered and waits for the answers, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export function createConfirmations(bus: Bus, events: BusinessEvents): Confirmations {
  const underway = new Set<Promise<void>>();
  const batcherOf = (source: EventSource) =>
    createNaturalBatcher<string, void>({
      // The owner has a minute before it publishes again; one statement of it closes what came in a moment.
      lingerMs: 50,
      sizeMax: 1_000,
      flushesMax: 2,
      isolates: () => false,
      async flush(eventIds) {
        await confirm(bus, events, source, eventIds);
        return eventIds.map(() => undefined);
      },
    });
  const batchers = { payments: batcherOf("payments"), refunds: batcherOf("refunds") };
  return {
    add(source, eventId) {
      const confirming = outsideTraces(() => batchers[source].add(eventId));
      underway.add(confirming);
      void confirming.finally(() => underway.delete(confirming));
    },
    async stop(timeoutMs) {
      const late = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
      await Promise.race([Promise.allSettled(underway), late]);
    },
  };
}

/** Never rejects. */
async function confirm(
  bus: Bus,
  events: BusinessEvents,
  source: EventSource,
  eventIds: string[],
): Promise<void> {
  const now = Date.now();
  const context = {
    requestId: randomUUIDv7(),
    deadlineAt: now + CONFIRM_TIMEOUT_MS,
    service: { name: "webhook-dispatcher" },
  };
  try {
    const options = { waitUntil: now + CONFIRM_TIMEOUT_MS, traceparent: "" };
    const reply = await request(bus, confirmEvents[source], context, { eventIds }, options);
    if (reply.outcome !== "done") events.notConfirmed(eventIds.length, reply.outcome);
  } catch (error) {
    events.notConfirmed(eventIds.length, error instanceof Error ? error.name : "unknown");
  }
}

const CONFIRM_TIMEOUT_MS = 5_000;
