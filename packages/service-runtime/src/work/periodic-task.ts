import type { Logger } from "../process/logger.ts";
import { pause } from "./pause.ts";

export type PeriodicTaskOptions = {
  /** The time between rounds, or a function for it that is called after each round. */
  intervalMs: number | (() => number);
  round: () => Promise<unknown>;
  /** The clock; while it is off, no round is begun. */
  clock?: { isOff(): boolean };
  log: Logger;
};

export type PeriodicTask = {
  /** Starts no further round and waits for the one under way, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

/**
 * Runs `round` again and again with `intervalMs` between the end of one and the start of the next. A round that throws
 * is logged, and the next one follows: a dependency that is down must not end the work forever.
 */
export function startPeriodicTask(
  operation: string,
  { intervalMs, round, clock, log }: PeriodicTaskOptions,
): PeriodicTask {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        if (!clock?.isOff()) await round();
      } catch (error) {
        log.error({ operation, error }, "a round failed");
      }
      await pause(typeof intervalMs === "number" ? intervalMs : intervalMs(), stopping.signal);
    }
  })();
  return {
    async stop(timeoutMs) {
      stopping.abort();
      await Promise.race([running, pause(timeoutMs)]);
    },
  };
}
