import type { Logger } from "../process/logger.ts";
import { pause } from "./pause.ts";
import type { PeriodicTask } from "./periodic-task.ts";

/**
 * Work that is due in a table: leased, oldest first, and done side by side without rounds, so that one item that hangs
 * holds one permit and delays no other.
 */
export type WorkPoolOptions<Item> = {
  /** Items under way at the same time, at most; asked for each time where it may change. */
  inFlightMax: number | (() => number);
  /** The interval between checks for due work while there is none. */
  intervalMs: number;
  /** Waits for the next look where there was no work, until the signal is aborted; for the interval where it is left out. */
  untilNextLook?: (stopped: AbortSignal) => Promise<void>;
  /** Leases at most `limit` items. Any number of processes may do so: each gets others. */
  lease: (limit: number) => Promise<Item[]>;
  /** Does one item. It handles its own failures: an error that it throws is only logged. */
  work: (item: Item) => Promise<unknown>;
  /** The clock; while it is off, nothing is leased. */
  clock?: { isOff(): boolean };
  log: Logger;
};

/**
 * Works until it is stopped. `stop` leases nothing more and waits for the work under way. A lease that fails is logged
 * and tried again after the interval.
 */
export function startWorkPool<Item>(operation: string, options: WorkPoolOptions<Item>): PeriodicTask {
  const {
    inFlightMax: max,
    intervalMs,
    log,
    untilNextLook = (stopped) => pause(intervalMs, stopped),
  } = options;
  const inFlightMax = typeof max === "number" ? () => max : max;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let permitIsFree = Promise.withResolvers<void>();

  const begin = (item: Item): void => {
    const done = (async () => {
      try {
        await options.work(item);
      } catch (error) {
        log.error({ operation, error }, "an item failed");
      }
    })().finally(() => {
      underWay.delete(done);
      permitIsFree.resolve();
    });
    underWay.add(done);
  };

  /** @returns true if more may be due now. */
  const fill = async (): Promise<boolean> => {
    if (options.clock?.isOff()) return false;
    const limit = Math.min(LEASED_MAX, inFlightMax() - underWay.size);
    if (limit <= 0) return false;
    try {
      const items = await options.lease(limit);
      for (const item of items) begin(item);
      return items.length === limit;
    } catch (error) {
      log.error({ operation, error }, "a round failed");
      return false;
    }
  };

  const running = (async () => {
    while (!stopping.signal.aborted) {
      const mayBeMore = await fill();
      if (!mayBeMore) await untilNextLook(stopping.signal);
      else if (underWay.size >= inFlightMax()) {
        permitIsFree = Promise.withResolvers();
        await permitIsFree.promise;
        // Permits that become free together are filled by one statement.
        await pause(GATHER_MS, stopping.signal);
      }
    }
    await Promise.all(underWay);
  })();

  return {
    async stop(timeoutMs) {
      stopping.abort();
      permitIsFree.resolve();
      await Promise.race([running, pause(timeoutMs)]);
    },
  };
}

/** Items of one statement. */
const LEASED_MAX = 64;
const GATHER_MS = 10;
