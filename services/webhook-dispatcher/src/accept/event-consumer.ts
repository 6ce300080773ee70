import { EVENT_STREAM, WEBHOOK_CONSUMER } from "@holdfast/contracts";
import { assertEventStream, type EventStreamOptions } from "@holdfast/outbox";
import { messagingAttributes, TRACEPARENT_HEADER, type Bus } from "@holdfast/messaging";
import { createNaturalBatcher, pause } from "@holdfast/service-runtime";
import { inSpan, parseTraceparent, remoteContext, SpanKind, type Span } from "@holdfast/telemetry";
import {
  AckPolicy,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  type ConsumerMessages,
  type JsMsg,
} from "@nats-io/jetstream";
import { acceptBatch, type AcceptDeps, type Received } from "./accept-batch.ts";
import { createConfirmations } from "./confirmations.ts";

export type EventConsumerOptions = { stream: EventStreamOptions; ackWaitMs: number };

export type EventConsumer = {
  /** Pulls no further events and waits for the batches under way, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

/**
 * Pulls events for as long as the process runs. The consumer is durable and shared by all dispatchers. When stream or
 * consumer are gone (all of JetStream's data was lost), both are created again, and the owners publish the unconfirmed
 * events again.
 */
export function startEventConsumer(
  deps: Omit<AcceptDeps, "isStopping" | "confirmations"> & { bus: Bus },
  { stream, ackWaitMs }: EventConsumerOptions,
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
        messages = await openConsumer(deps.bus.nats, stream, ackWaitMs);
        deps.progress.mark("accept");
        if (stopping.signal.aborted) break;
        for await (const message of messages) {
          take(message);
          deps.progress.mark("accept");
        }
      } catch (error) {
        deps.events.acceptFailed(error);
      }
      deps.progress.mark("accept");
      if (!stopping.signal.aborted) await pause(REOPEN_PAUSE_MS);
    }
  })();
  // A consumer without events is not stuck.
  const idle = setInterval(() => underway.size === 0 && deps.progress.mark("accept"), IDLE_MARK_MS);

  return {
    async stop(timeoutMs) {
      stopping.abort();
      clearInterval(idle);
      await Promise.race([messages?.close(), pause(STOP_PULLING_MS)]);
      await Promise.race([running, pause(STOP_PULLING_MS)]);
      await Promise.race([Promise.allSettled(underway), pause(timeoutMs)]);
      await confirmations.stop(STOP_PULLING_MS);
    },
  };
}

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

async function openConsumer(
  nats: Bus["nats"],
  stream: EventStreamOptions,
  ackWaitMs: number,
): Promise<ConsumerMessages> {
  await assertEventStream(nats, stream);
  await assertConsumer(nats, ackWaitMs);
  const consumer = await jetstream(nats).consumers.get(EVENT_STREAM.name, WEBHOOK_CONSUMER);
  return await consumer.consume({
    max_messages: PULLED_MAX,
    // Heartbeats that are missing for this time show that the consumer is gone.
    expires: PULL_EXPIRES_MS,
    abort_on_missing_resource: true,
  });
}

/** Creates the consumer, or brings it to its settings, without losing its position in the stream. */
async function assertConsumer(nats: Bus["nats"], ackWaitMs: number): Promise<void> {
  const { consumers } = await jetstreamManager(nats);
  const changeable = { ack_wait: ackWaitMs * 1_000_000, max_ack_pending: ACK_PENDING_MAX, max_deliver: -1 };
  const existing = await consumers.info(EVENT_STREAM.name, WEBHOOK_CONSUMER).catch((error: unknown) => {
    const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound;
    if (isMissing) return undefined;
    throw error;
  });
  if (existing) {
    const { ack_wait, max_ack_pending, max_deliver } = existing.config;
    const differs = JSON.stringify({ ack_wait, max_ack_pending, max_deliver }) !== JSON.stringify(changeable);
    if (differs) await consumers.update(EVENT_STREAM.name, WEBHOOK_CONSUMER, changeable);
    return;
  }
  await consumers.add(EVENT_STREAM.name, {
    durable_name: WEBHOOK_CONSUMER,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ...changeable,
  });
}

/** Most events that are delivered and not accepted yet, over all dispatchers. Acceptance takes milliseconds. */
const ACK_PENDING_MAX = 5_000;
const PULLED_MAX = 500;
const PULL_EXPIRES_MS = 2_000;
