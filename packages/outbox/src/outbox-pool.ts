import { createPool, type PoolOptions } from "@holdfast/service-runtime";
import type { Pool } from "pg";

/**
 * Connections for the relay, the confirmations and the comparison with the dispatcher; never for what puts an event
 * into the outbox. They commit without waiting for the disk: what a crash of the database takes from them is a claim or
 * a confirmation, and the event is published once more, which the dispatcher knows by its id.
 */
export function createOutboxPool(options: Omit<PoolOptions, "connectionsMax" | "settings">): Pool {
  return createPool({
    ...options,
    applicationName: `${options.applicationName} outbox`,
    connectionsMax: CONNECTIONS,
    settings: SETTINGS,
  });
}

/** One relay, two confirmations side by side, one for the tasks. */
const CONNECTIONS = 4;

/** Every statement goes from a few keys along an index; a plan made while the table was small would read all of it. */
const SETTINGS = {
  synchronous_commit: "off",
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
};
