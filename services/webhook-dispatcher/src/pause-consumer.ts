import type { EventConsumer } from "./accept/event-consumer.ts";
import type { Progress } from "./progress.ts";

/**
 * Runs an event consumer while the clock is right. Otherwise nothing is pulled: the stream keeps the events, and other
 * dispatchers accept them. A batch that has been pulled is still accepted.
 */
export function startWhileClockIsRight(
  start: () => EventConsumer,
  clock: { isOff(): boolean; onChange(listener: () => void): void },
  progress: Progress,
): EventConsumer {
  let consumer: EventConsumer | undefined;
  let stopped = false;
  let last: Promise<void> = Promise.resolve();
  const follow = async (timeoutMs: number) => {
    if (!stopped && !clock.isOff()) {
      consumer ??= start();
      return;
    }
    const stopping = consumer;
    consumer = undefined;
    await stopping?.stop(timeoutMs);
  };
  const change = async (timeoutMs: number) => {
    last = last.then(() => follow(timeoutMs));
    await last;
  };
  clock.onChange(() => void change(PAUSE_TIMEOUT_MS));
  void change(PAUSE_TIMEOUT_MS);
  // A paused consumer is not stuck.
  const paused = setInterval(() => consumer ?? progress.mark("accept"), PAUSED_MARK_MS);

  return {
    async stop(timeoutMs) {
      stopped = true;
      clearInterval(paused);
      await change(timeoutMs);
    },
  };
}

/** The time that a batch under way may take. After that the stream delivers its events again. */
const PAUSE_TIMEOUT_MS = 5_000;
const PAUSED_MARK_MS = 5_000;
