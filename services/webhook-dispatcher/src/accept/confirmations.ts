import { randomUUIDv7 } from "node:crypto";
import { confirmEvents, type EventSource } from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import { createNaturalBatcher, pause } from "@holdfast/service-runtime";
import { outsideTraces } from "@holdfast/telemetry";
import type { BusinessEvents } from "../business-events.ts";

/** Confirms to the owners which of their events are committed here, so that they can close the rows. */
export type Confirmations = {
  /** Confirms an event in the background: after a lost confirmation the owner publishes the event again. */
  add(source: EventSource, eventId: string): void;
  /** Sends what is gathered and waits for the answers, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export function createConfirmations(bus: Bus, events: BusinessEvents): Confirmations {
  const owners = {
    payments: confirmationsTo("payments", bus, events),
    refunds: confirmationsTo("refunds", bus, events),
    settlement: confirmationsTo("settlement", bus, events),
  };
  return {
    add: (source, eventId) => owners[source].add(eventId),
    async stop(timeoutMs) {
      const settled = Promise.all(Object.values(owners).map((owner) => owner.settled()));
      await Promise.race([settled, pause(timeoutMs)]);
    },
  };
}

/** Each owner has its own queue, so that a slow owner delays no other. */
function confirmationsTo(source: EventSource, bus: Bus, events: BusinessEvents) {
  const underway = new Set<Promise<void>>();
  let leftOut = 0;
  const batcher = createNaturalBatcher<string, void>({
    name: "confirmations",
    // The owner publishes again only after a minute, so confirmations can be collected for one of its
    // statements.
    lingerMs: 250,
    sizeMax: SIZE_MAX,
    flushesMax: FLUSHES_MAX,
    isolates: () => false,
    async flush(eventIds) {
      if (leftOut > 0) events.notConfirmed(leftOut, "overloaded");
      leftOut = 0;
      await confirm(bus, events, source, eventIds);
      return eventIds.map(() => undefined);
    },
  });
  return {
    add(eventId: string) {
      if (underway.size >= WAITING_MAX) {
        leftOut++;
        return;
      }
      const confirming = outsideTraces(() => batcher.add(eventId));
      underway.add(confirming);
      void confirming.finally(() => underway.delete(confirming));
    },
    settled: () => Promise.allSettled(underway),
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
const SIZE_MAX = 1_000;
const FLUSHES_MAX = 2;
/**
 * The confirmations that an owner which does not answer is sent in 50 s. It publishes again after a minute, so more
 * would be in vain.
 */
const WAITING_MAX = 20_000;
