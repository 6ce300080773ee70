import { SETTLEMENT_CONSUMER, type MovementFact } from "@holdfast/contracts";
import type { Bus } from "@holdfast/messaging";
import { pullEvents, type PulledEvent } from "@holdfast/outbox";
import { createNaturalBatcher, pause } from "@holdfast/service-runtime";
import { DatabaseError, type Pool } from "pg";
import type { BusinessEvents } from "../business-events.ts";
import { factOfEvent } from "./fact-of-event.ts";
import { recordFacts } from "./record-facts.ts";

export type FactConsumer = {
  /** Pulls no further events and waits for the batches under way, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export type ConsumeDeps = { bus: Bus; pool: Pool; events: BusinessEvents; askFirstMs: number };

/**
 * Records final states as they leave their owners. An event is acknowledged after the commit of its fact; an
 * unacknowledged one comes again, and recording it again changes nothing. An event that the stream has lost is asked
 * for when a bank's line names its fact.
 */
export function startFactConsumer({ bus, pool, events, askFirstMs }: ConsumeDeps): FactConsumer {
  const underway = new Set<Promise<unknown>>();
  const batcher = createNaturalBatcher<MovementFact, void>({
    name: "facts",
    sizeMax: 200,
    flushesMax: 1,
    // A fact may be late: its lines come with the bank's file of a day.
    lingerMs: 1_000,
    // One fact that the database refuses must not take its neighbours with it.
    isolates: isFaultOfData,
    async flush(facts) {
      await recordFacts(pool, facts, { askFirstMs });
      events.factsRecorded({ count: facts.length, source: "event" });
      return facts.map(() => undefined);
    },
  });
  const record = async (pulled: PulledEvent) => {
    const fact = factOfEvent(pulled.content);
    if (fact === undefined) return pulled.ack();
    if (typeof fact === "string") return refuse(pulled, fact);
    try {
      await batcher.add(fact);
    } catch (error) {
      if (isFaultOfData(error)) return refuse(pulled, `the database refuses it: ${error.code}`);
      // The stream delivers the message again after the acknowledgement's time.
      return events.factsNotRecorded(error);
    }
    pulled.ack();
  };
  const refuse = (pulled: PulledEvent, reason: string) => {
    events.eventRefused(reason);
    pulled.term("not a fact");
  };
  const pull = pullEvents(bus, {
    consumer: SETTLEMENT_CONSUMER,
    take({ events: pulled }) {
      const recording = Promise.all(pulled.map(record));
      underway.add(recording);
      void recording.finally(() => underway.delete(recording));
    },
    onFailed: (error) => events.factsNotRecorded(error),
  });
  return {
    async stop(timeoutMs) {
      await pull.stop();
      await Promise.race([Promise.allSettled(underway), pause(timeoutMs)]);
    },
  };
}

/** SQLSTATE classes 22 (data) and 23 (integrity). */
function isFaultOfData(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && /^2[23]/.test(error.code ?? "");
}
