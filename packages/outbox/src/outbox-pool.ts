import { createPool, type PoolOptions } from "@holdfast/postgres";
import type { Pool } from "pg";

/**
 * Connections for the relay, the confirmations and the comparison with the dispatcher, but never for the
 * transactions that put events into the outbox. They commit without waiting for the disk: a crash of the
 * database can lose a claim or a confirmation, and then the event is published once more, which the
 * dispatcher recognizes by its id.
 *
 * @param options `connectionsMax` at least 2, since the comparison keeps one; a service with few events needs
 * fewer than usual.
 */
export function createOutboxPool({
  connectionsMax = CONNECTIONS,
  ...options
}: Omit<PoolOptions, "connectionsMax" | "settings"> & { connectionsMax?: number }): Pool {
  return createPool({
    ...options,
    applicationName: `${options.applicationName} outbox`,
    connectionsMax,
    settings: SETTINGS,
  });
}

/** The relay needs one, two confirmations may run side by side, and the tasks share one. */
const CONNECTIONS = 4;

/**
 * Every statement follows an index from a few keys; a cached plan from a small table would read all of a
 * large one.
 */
const SETTINGS = {
  synchronous_commit: "off",
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
};
