import { messagingAttributes, type Bus } from "@holdfast/messaging";
import { pullEvents, type PulledEvent, type PulledMessage } from "@holdfast/outbox";
import { createNaturalBatcher, pause } from "@holdfast/service-runtime";
import { inSpan, parseTraceparent, remoteContext, SpanKind, type Span } from "@holdfast/telemetry";
import { acceptBatch, type AcceptDeps, type Received } from "./accept-batch.ts";
import { createConfirmations } from "./confirmations.ts";
import { extendAckWait, type Accepting } from "./extend-ack-wait.ts";

export type EventConsumer = {
  /** Pulls no further events and waits for the batches under way, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

/**
 * Accepts events for as long as the process runs. Those that JetStream loses are published again by their owners, until
 * they are confirmed.
 */
export function startEventConsumer(deps: Omit<AcceptDeps, "confirmations"> & { bus: Bus }): EventConsumer {
  const stopping = new AbortController();
  const confirmations = createConfirmations(deps.bus, deps.events);
  /** The events under way, by their place in the stream. */
  const underway = new Map<number, Accepting>();
  // While one batch is being committed the next one is collected; a single event is committed immediately.
  const batcher = createNaturalBatcher<Received, void>({
    name: "accepted events",
    sizeMax: 200,
    flushesMax: 2,
    isolates: () => false,
    async flush(batch) {
      await acceptBatch({ ...deps, confirmations }, batch, () => stopping.signal.aborted);
      return batch.map(() => undefined);
    },
  });
  const accept = async (pulled: PulledEvent) => {
    try {
      await inReceivingSpan(pulled, (span) => batcher.add({ pulled, span }));
    } catch (error) {
      deps.events.acceptFailed(error);
    }
  };
  const take = (message: PulledMessage) => {
    const { sequence } = message;
    // After half a minute without the database the stream sends a copy every few seconds. The acknowledgement
    // of the first one closes its place in the stream, so it acknowledges the copies, too.
    if (underway.has(sequence)) return;
    const ended = Promise.all(message.events.map(accept));
    underway.set(sequence, { message, sinceMs: performance.now(), ended });
    void ended.finally(() => underway.delete(sequence));
  };
  const pull = pullEvents(deps.bus, {
    take,
    onRound: () => deps.progress.mark("accept"),
    onFailed: (error) => deps.events.acceptFailed(error),
  });
  const beat = setInterval(() => {
    // A consumer without events is not stuck.
    if (underway.size === 0) return deps.progress.mark("accept");
    extendAckWait(underway.values(), performance.now());
  }, BEAT_MS);

  return {
    async stop(timeoutMs) {
      stopping.abort();
      await pull.stop();
      await Promise.race([allEnded(underway.values()), pause(timeoutMs)]);
      // The beat continues to this point: a slow commit may still accept the events, and another dispatcher
      // would take them meanwhile.
      clearInterval(beat);
      await confirmations.stop(CONFIRMATIONS_STOP_MS);
    },
  };
}

/** Covers the time from arrival to commit, in the trace of the request that made the event. */
async function inReceivingSpan(
  { subject, traceparent }: PulledEvent,
  accept: (span: Span | undefined) => Promise<void>,
): Promise<void> {
  if (!parseTraceparent(traceparent)) return await accept(undefined);
  const options = {
    kind: SpanKind.CONSUMER,
    parent: remoteContext(traceparent),
    attributes: messagingAttributes(subject, "process"),
  };
  await inSpan(`process ${subject}`, options, accept);
}

async function allEnded(underway: Iterable<Accepting>): Promise<void> {
  await Promise.allSettled([...underway].map(({ ended }) => ended));
}

/** A third of the time that the stream waits. */
const BEAT_MS = 1_000;
const CONFIRMATIONS_STOP_MS = 500;
