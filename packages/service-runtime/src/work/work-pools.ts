import { pause } from "./pause.ts";
import type { PeriodicTask } from "./periodic-task.ts";
import { startWorkPool, type WorkPoolOptions } from "./work-pool.ts";

/** The {@link WorkPoolOptions} of a pool for each key. */
export type WorkPoolsOptions<Key, Item> = Omit<
  WorkPoolOptions<Item>,
  "inFlightMax" | "lease" | "untilNextLook"
> & {
  /**
   * The milliseconds until the first item of any key is due, 0 or less where one is due now, undefined where none
   * waits. Asked once in each interval for all keys, and again when the first item is due: with nothing to do it is the
   * only statement for any number of keys.
   */
  dueInMs: () => Promise<number | undefined>;
  /** The present keys. One that is left out later keeps its pool. */
  keys: () => Iterable<Key> | Promise<Iterable<Key>>;
  inFlightMax: (key: Key) => number;
  /** Leases at most `limit` items of one key. */
  lease: (key: Key, limit: number) => Promise<Item[]>;
};

type Pool = { task: PeriodicTask; look: () => void };

/** Works each key in a pool of its own, so that any number of hanging items of one hold no permit of another's. */
export function startWorkPools<Key, Item>(
  operation: string,
  { dueInMs, keys, inFlightMax, lease, ...options }: WorkPoolsOptions<Key, Item>,
): PeriodicTask {
  const stopping = new AbortController();
  const pools = new Map<Key, Pool>();
  const start = (key: Key): Pool => {
    let due = Promise.withResolvers<void>();
    const task = startWorkPool<Item>(operation, {
      ...options,
      inFlightMax: () => inFlightMax(key),
      lease: (limit) => lease(key, limit),
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
    if (options.clock?.isOff()) return options.intervalMs;
    try {
      const inMs = await dueInMs();
      if (inMs === undefined) return options.intervalMs;
      if (inMs > 0) return Math.min(Math.max(inMs, LOOK_PAUSE_MS), options.intervalMs);
      for (const key of await keys()) {
        const pool = pools.get(key);
        if (pool) pool.look();
        else pools.set(key, start(key));
      }
    } catch (error) {
      options.log.error({ operation, error }, "a round failed");
    }
    return options.intervalMs;
  };
  const running = (async () => {
    while (!stopping.signal.aborted) await pause(await look(), stopping.signal);
  })();
  return {
    async stop(timeoutMs) {
      stopping.abort();
      await running;
      await Promise.all([...pools.values()].map(({ task }) => task.stop(timeoutMs)));
    },
  };
}

/** One look is for all items that are due within this time. */
const LOOK_PAUSE_MS = 250;

async function until(due: Promise<void>, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return;
  const end = Promise.withResolvers<void>();
  const stop = () => end.resolve();
  stopped.addEventListener("abort", stop);
  await Promise.race([due, end.promise]);
  stopped.removeEventListener("abort", stop);
}
