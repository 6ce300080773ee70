import type { Logger } from "./logger.ts";

export type PeriodicTask = {
  /** Starts no further round and waits for the one under way, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

/**
 * Runs `round` again and again with `intervalMs` between the end of one and the start of the next. A round that throws is
 * logged and the next one comes: a dependency that is down must not end the work for good.
 */
export function startPeriodicTask(
  operation: string,
  { intervalMs, round, log }: { intervalMs: number; round: () => Promise<unknown>; log: Logger },
): PeriodicTask {
  const stopping = Promise.withResolvers<void>();
  let stopped = false;
  const running = (async () => {
    // oxlint-disable-next-line no-unmodified-loop-condition -- `stop` sets it
    while (!stopped) {
      try {
        await round();
      } catch (error) {
        log.error({ operation, error }, "a round failed");
      }
      if (!stopped) await Promise.race([pause(intervalMs), stopping.promise]);
    }
  })();
  return {
    async stop(timeoutMs) {
      stopped = true;
      stopping.resolve();
      await Promise.race([running, pause(timeoutMs)]);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
