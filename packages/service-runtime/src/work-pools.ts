import { pause } from "./pause.ts";
import type { PeriodicTask } from "./periodic-task.ts";
import { startWorkPool, type WorkPoolOptions } from "./work-pool.ts";

/** As {@link WorkPoolOptions}, with a pool for each key. */
export type WorkPoolsOptions<Key, Item> = Omit<WorkPoolOptions<Item>, "inFlightMax" | "lease"> & {
  /** Those that there are now. One that is left out later keeps its pool. */
  keys: () => Iterable<Key> | Promise<Iterable<Key>>;
  inFlightMax: (key: Key) => number;
  /** Leases at most `limit` items of one key. */
  lease: (key: Key, limit: number) => Promise<Item[]>;
};

/** Work of each key in a pool of its own: items of one that hang hold no place of another's, however many they are. */
export function startWorkPools<Key, Item>(
  operation: string,
  { keys, inFlightMax, lease, ...options }: WorkPoolsOptions<Key, Item>,
): PeriodicTask {
  const stopping = new AbortController();
  const pools = new Map<Key, PeriodicTask>();
  const start = (key: Key) =>
    startWorkPool<Item>(operation, {
      ...options,
      inFlightMax: () => inFlightMax(key),
      lease: (limit) => lease(key, limit),
    });
  /** Where the keys cannot be read, those that are known go on. */
  const begin = async () => {
    try {
      for (const key of await keys()) if (!pools.has(key)) pools.set(key, start(key));
    } catch (error) {
      options.log.error({ operation, error }, "a round failed");
    }
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await begin();
      await pause(options.intervalMs, stopping.signal);
    }
  })();
  return {
    async stop(timeoutMs) {
      stopping.abort();
      await running;
      await Promise.all([...pools.values()].map((pool) => pool.stop(timeoutMs)));
    },
  };
}
