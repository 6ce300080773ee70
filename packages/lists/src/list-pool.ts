import { CONNECTION_TIMEOUT_MS, createPool, type PoolOptions } from "@holdfast/service-runtime";
import type { Pool } from "pg";

/**
 * A pool for lists and nothing else: an export that reads all day takes no connection from payments. Its plans are bounded.
 * By statistics the planner would rather fetch and sort all rows that it expects of an index than walk the index in the
 * order of the list, and it expects a few of what is rare on average; of the one customer with a million orders it would
 * read them all for each page.
 */
export function createListPool({
  connectionTimeoutMs = CONNECTION_TIMEOUT_MS,
  ...options
}: Omit<PoolOptions, "connectionsMax" | "settings">): Pool {
  return createPool({
    ...options,
    connectionTimeoutMs: connectionTimeoutMs * WAIT_FACTOR,
    applicationName: `${options.applicationName} lists`,
    connectionsMax: CONNECTIONS,
    settings: LIST_SETTINGS,
  });
}

/** A page takes a few milliseconds, so that two are enough for more pages than a gateway asks for. */
const CONNECTIONS = 2;

/**
 * How many times as long as a payment a list waits for one of them: no payment is behind it, a search asks for five lists at
 * once, and a person sees an error where a program would ask again.
 */
const WAIT_FACTOR = 5;

/** The planner uses what is off only where there is nothing else. */
const LIST_SETTINGS = {
  enable_sort: "off",
  enable_incremental_sort: "off",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
  max_parallel_workers_per_gather: "0",
};
