import { createPool, type PoolOptions } from "@holdfast/postgres";
import { CONNECTION_TIMEOUT_MS } from "@holdfast/service-runtime";
import type { Pool } from "pg";

/**
 * A pool for lists alone: an export that reads all day takes no connection from payments. Its plans are
 * bounded. With its usual settings the planner would fetch and sort all rows that it expects, instead of
 * walking the index in the list's order. It expects few rows for a value that is rare on average. For the one
 * customer with a million orders it would read them all for each page.
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
 * The factor by which a list waits longer for a connection than a payment: no payment depends on it, a search
 * reads five lists at the same time, and a person would see an error where a program would retry.
 */
const WAIT_FACTOR = 5;

/** The planner uses a disabled plan only where there is no other. */
const LIST_SETTINGS = {
  enable_sort: "off",
  enable_incremental_sort: "off",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
  max_parallel_workers_per_gather: "0",
};
