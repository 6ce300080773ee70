import { pause } from "./pause.ts";
import type { PeriodicTask } from "./periodic-task.ts";
import { startWorkPool, type WorkPoolOptions } from "./work-pool.ts";

/** The {@link WorkPoolOptions} of a pool for each key. */
export type WorkPoolsOptions<Key, Item> = Omit<
  WorkPoolOptions<Item>,
  "inFlightMax" | "lease" | "untilNextLook"
> & {
  /**
   * The milliseconds until the first item of any key is due, 0 or less if one is due now, undefined if none
   * waits. It is called once in each interval for all keys, and again when the first item is due. With
   * nothing to do it is the only statement for any number of keys.
   */
  dueInMs: () => Promise<number | undefined>;
  /**
   * True if this process nudges for everything that it makes due. While nothing is due and no nudge comes, it
   * then checks only once in {@link IDLE_INTERVALS} intervals, but at least every half minute. That is the
   * delay for work that another process made due before it died.
   */
  isNudged?: boolean;
  /** The present keys. One that is left out later keeps its pool. */
  keys: () => Iterable<Key> | Promise<Iterable<Key>>;
  inFlightMax: (key: Key) => number;
  /** Leases at most `limit` items of one key. */
  lease: (key: Key, limit: number) => Promise<Item[]>;
};

export type WorkPools = PeriodicTask & {
  /**
   * Makes the next check come within `intervalMs`, since something may be due by then. The end of an item
   * does so, too.
   */
  nudge(): void;
};

type Pool = { task: PeriodicTask; look: () => void };

/** Works each key in a pool of its own, so that any number of hanging items of one hold no permit of another's. */
export function startWorkPools<Key, Item>(
  operation: string,
  { dueInMs, keys, inFlightMax, lease, isNudged = false, ...options }: WorkPoolsOptions<Key, Item>,
): WorkPools {
  const { intervalMs } = options;
  const idleMs = isNudged ? idleIntervalMs(intervalMs) : intervalMs;
  const pools = new Map<Key, Pool>();
  const start = (key: Key): Pool => {
    let due = Promise.withResolvers<void>();
    const task = startWorkPool<Item>(operation, {
      ...options,
      inFlightMax: () => inFlightMax(key),
      lease: (limit) => lease(key, limit),
      // Something of it may be left, and due again soon.
      work: (item) => options.work(item).finally(() => looking.nudge()),
      async untilNextLook(stopped) {
        await until(due.promise, stopped);
        due = Promise.withResolvers();
      },
    });
    return { task, look: () => due.resolve() };
  };
  /**
   * Starts or wakes the pools of due keys. After a failure of the database or of the keys the next look is after the
   * interval.
   */
  const look = async (): Promise<number> => {
    if (options.clock?.isOff()) return intervalMs;
    try {
      const inMs = await dueInMs();
      if (inMs === undefined) return idleMs;
      if (inMs > 0) return Math.min(Math.max(inMs, Math.min(LOOK_PAUSE_MS, intervalMs)), idleMs);
      for (const key of await keys()) {
        const pool = pools.get(key);
        if (pool) pool.look();
        else pools.set(key, start(key));
      }
    } catch (error) {
      options.log.error({ operation, error }, "a round failed");
    }
    return intervalMs;
  };
  const looking = startLooking(look, intervalMs);
  return {
    nudge: looking.nudge,
    async stop(timeoutMs) {
      await looking.stop();
      await Promise.all([...pools.values()].map(({ task }) => task.stop(timeoutMs)));
    },
  };
}

/** One look is for all items that are due within this time, or within an interval that is shorter. */
const LOOK_PAUSE_MS = 250;
const IDLE_INTERVALS = 15;
/** No longer than the shortest lease by default, so that a look sees each lease before it ends. */
const IDLE_MAX_MS = 30_000;

function idleIntervalMs(intervalMs: number): number {
  return Math.max(intervalMs, Math.min(IDLE_INTERVALS * intervalMs, IDLE_MAX_MS));
}

async function until(due: Promise<void>, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return;
  const end = Promise.withResolvers<void>();
  const stop = () => end.resolve();
  stopped.addEventListener("abort", stop);
  await Promise.race([due, end.promise]);
  stopped.removeEventListener("abort", stop);
}

/**
 * Calls `look` repeatedly, each time after the milliseconds that the last call returned, or after
 * `intervalMs` if a nudge comes before.
 */
function startLooking(look: () => Promise<number>, intervalMs: number) {
  const stopping = new AbortController();
  let waiting = new AbortController();
  const nudge = () => waiting.abort();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      // From here on a nudge may be about work that this check misses.
      waiting = new AbortController();
      const inMs = await look();
      const lookAt = performance.now() + inMs;
      await pause(inMs, waiting.signal);
      const leftMs = lookAt - performance.now();
      if (leftMs > 0) await pause(Math.min(intervalMs, leftMs), stopping.signal);
    }
  })();
  return {
    nudge,
    async stop() {
      stopping.abort();
      nudge();
      await running;
    },
  };
}
