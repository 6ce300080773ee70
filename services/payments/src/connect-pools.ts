import { createOutboxPool } from "@holdfast/outbox";
import { createPool } from "@holdfast/postgres";
import { type Logger } from "@holdfast/service-runtime";
import type { Config } from "./config.ts";
import { WRITE_SETTINGS } from "./payment/payment-writes.ts";

/**
 * The connections to the database, apart by what must not wait for what: `pool` carries out commands, `writePool` makes
 * the batched writes under settings of their own, and `outboxPool` publishes events.
 */
export function connectPools(config: Config, log: Logger) {
  const connection = {
    url: config.DATABASE_URL,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "payments",
    log,
  };
  return {
    pool: createPool({ ...connection, connectionsMax: config.DATABASE_CONNECTIONS_MAX }),
    writePool: createPool({
      ...connection,
      connectionsMax: WRITE_CONNECTIONS,
      applicationName: "payments writes",
      settings: WRITE_SETTINGS,
    }),
    outboxPool: createOutboxPool(connection),
  };
}

/** Two concurrent flushes each of claims, records, questions to the rules and rejections. They are opened as needed. */
const WRITE_CONNECTIONS = 8;
