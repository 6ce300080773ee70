import { EVENT_STREAM, WEBHOOK_CONSUMER } from "@holdfast/contracts";
import { EventStreamSettingsError, requireWebhookConsumer } from "@holdfast/outbox";
import { messagingAttributes, TRACEPARENT_HEADER, type Bus } from "@holdfast/messaging";
import { createNaturalBatcher, pause } from "@holdfast/service-runtime";
import { inSpan, parseTraceparent, remoteContext, SpanKind, type Span } from "@holdfast/telemetry";
import { jetstream, type ConsumerMessages, type JsMsg } from "@nats-io/jetstream";
import { acceptBatch, type AcceptDeps, type Received } from "./accept-batch.ts";
import { createConfirmations } from "./confirmations.ts";

export type EventConsumer = {
  /** Pulls no further events and waits for the batches under way, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

/**
 * Pulls events for as long as the process runs. The consumer is durable and shared by all dispatchers. When stream or
 * consumer are gone (all of JetStream's data was lost), this waits until the installation has made them again, and the
 * owners publish the unconfirmed events again. Settings that are not ours end the process.
 */
export function startEventConsumer(
  deps: Omit<AcceptDeps, "isStopping" | "confirmations"> & { bus: Bus },
): EventConsumer {
  const stopping = new AbortController();
  let messages: ConsumerMessages | undefined;
  const confirmations = createConfirmations(deps.bus, deps.events);
  const underway = new Set<Promise<void>>();
  // While one batch is being committed the next one gathers; an event that comes alone is committed immediately.
  const batcher = createNaturalBatcher<Received, void>({
    sizeMax: 200,
    flushesMax: 2,
    isolates: () => false,
    async flush(batch) {
      await acceptBatch({ ...deps, confirmations, isStopping: () => stopping.signal.aborted }, batch);
      return batch.map(() => undefined);
    },
  });
  const take = (message: JsMsg) => {
    const accepting = inReceivingSpan(message, (span) => batcher.add({ message, span })).catch(
      (error: unknown) => deps.events.acceptFailed(error),
    );
    underway.add(accepting);
    void accepting.finally(() => underway.delete(accepting));
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        messages = await openConsumer(deps.bus.nats);
        deps.progress.mark("accept");
        if (stopping.signal.aborted) break;
        for await (const message of messages) {
          take(message);
          deps.progress.mark("accept");
        }
      } catch (error) {
        // Not caught by anybody, so that the process ends: what else this consumer does is not known.
        if (error instanceof EventStreamSettingsError) throw error;
        deps.events.acceptFailed(error);
      }
      deps.progress.mark("accept");
      if (!stopping.signal.aborted) await pause(REOPEN_PAUSE_MS);
    }
  })();
  const watching = watchConsumer(deps.bus, stopping.signal);
  // A consumer without events is not stuck.
  const idle = setInterval(() => underway.size === 0 && deps.progress.mark("accept"), IDLE_MARK_MS);

  return {
    async stop(timeoutMs) {
      stopping.abort();
      clearInterval(idle);
      await Promise.race([messages?.close(), pause(STOP_PULLING_MS)]);
      await Promise.race([Promise.allSettled([running, watching]), pause(STOP_PULLING_MS)]);
      await Promise.race([Promise.allSettled(underway), pause(timeoutMs)]);
      await confirmations.stop(STOP_PULLING_MS);
    },
  };
}

/** Ends the process, too, when stream or consumer are changed while events are being pulled. */
async function watchConsumer({ nats }: Bus, signal: AbortSignal): Promise<void> {
  for (;;) {
    await pause(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    await requireWebhookConsumer(nats).catch((error: unknown) => {
      // That they are gone, or that the bus is, is for the loop that pulls.
      if (error instanceof EventStreamSettingsError) throw error;
    });
  }
}

const LOOK_EVERY_MS = 10_000;

/** Covers the time from arrival to commit, in the trace of the request that made the event. */
async function inReceivingSpan(
  message: JsMsg,
  accept: (span: Span | undefined) => Promise<void>,
): Promise<void> {
  const traceparent = message.headers?.get(TRACEPARENT_HEADER);
  if (!parseTraceparent(traceparent)) return await accept(undefined);
  const options = {
    kind: SpanKind.CONSUMER,
    parent: remoteContext(traceparent),
    attributes: messagingAttributes(message.subject, "process"),
  };
  await inSpan(`process ${message.subject}`, options, accept);
}

const REOPEN_PAUSE_MS = 250;
const IDLE_MARK_MS = 1_000;
const STOP_PULLING_MS = 500;

async function openConsumer(nats: Bus["nats"]): Promise<ConsumerMessages> {
  await requireWebhookConsumer(nats);
  const consumer = await jetstream(nats).consumers.get(EVENT_STREAM.name, WEBHOOK_CONSUMER);
  return await consumer.consume({
    max_messages: PULLED_MAX,
    // Heartbeats that are missing for this time show that the consumer is gone.
    expires: PULL_EXPIRES_MS,
    abort_on_missing_resource: true,
  });
}

const PULLED_MAX = 500;
const PULL_EXPIRES_MS = 2_000;
