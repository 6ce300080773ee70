import { EVENT_STREAM, WEBHOOK_CONSUMER } from "@holdfast/contracts";
import type { Bus } from "@holdfast/messaging";
import { pause } from "@holdfast/service-runtime";
import { jetstream, type ConsumerMessages } from "@nats-io/jetstream";
import { EventStreamSettingsError, requireConsumer } from "./event-stream.ts";
import { readMessage, type PulledMessage } from "./pulled-message.ts";

export type EventPull = {
  /** Pulls no further events. It waits at most half a second; the work of `take` continues. */
  stop(): Promise<void>;
};

/** The dispatcher's handling of events. */
export type PullOptions = {
  /** Called once for each message; it ends the message's events in its own time. */
  take: (message: PulledMessage) => void;
  /** Called when the consumer was opened, or a round of pulling has ended: the loop is running. */
  onRound?: () => void;
  /** Called when the stream, the consumer or the bus is gone; it is tried again. */
  onFailed: (error: unknown) => void;
};

/**
 * Pulls events for as long as the process runs. The consumer is durable and shared by all processes of a service. When
 * stream or consumer are gone (all of JetStream's data was lost), this waits until the installation has made them again.
 * Settings that are not ours end the process, also when they are changed while events are being pulled.
 */
export function pullEvents(
  bus: Pick<Bus, "nats">,
  { take, onRound = () => {}, onFailed }: PullOptions,
): EventPull {
  const stopping = new AbortController();
  let messages: ConsumerMessages | undefined;
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        messages = await openConsumer(bus.nats);
        onRound();
        if (stopping.signal.aborted) break;
        for await (const message of messages) {
          take(readMessage(message));
          onRound();
        }
      } catch (error) {
        // The error is not caught, so that the process ends: the consumer's behaviour is unknown.
        if (error instanceof EventStreamSettingsError) throw error;
        onFailed(error);
      }
      onRound();
      if (!stopping.signal.aborted) await pause(REOPEN_PAUSE_MS);
    }
  })();
  const watching = watchConsumer(bus.nats, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await Promise.race([messages?.close(), pause(STOP_PULLING_MS)]);
      await Promise.race([Promise.allSettled([running, watching]), pause(STOP_PULLING_MS)]);
    },
  };
}

async function watchConsumer(nats: Bus["nats"], signal: AbortSignal): Promise<void> {
  for (;;) {
    await pause(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    await requireConsumer(nats).catch((error: unknown) => {
      // The loop that pulls handles a missing stream, consumer or bus.
      if (error instanceof EventStreamSettingsError) throw error;
    });
  }
}

async function openConsumer(nats: Bus["nats"]): Promise<ConsumerMessages> {
  await requireConsumer(nats);
  const consumer = await jetstream(nats).consumers.get(EVENT_STREAM.name, WEBHOOK_CONSUMER);
  return await consumer.consume({
    max_messages: PULLED_MAX,
    // Heartbeats that are missing for this time show that the consumer is gone.
    expires: PULL_EXPIRES_MS,
    abort_on_missing_resource: true,
  });
}

/** Messages in this process that are not acknowledged yet; each may be a list of some 64 KiB. */
const PULLED_MAX = 200;
const PULL_EXPIRES_MS = 5_000;
const REOPEN_PAUSE_MS = 250;
const LOOK_EVERY_MS = 10_000;
const STOP_PULLING_MS = 500;
