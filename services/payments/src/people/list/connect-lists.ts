import { createListPool } from "@holdfast/lists";
import { createDatabase } from "@holdfast/postgres";
import { type Logger } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { Config } from "../../config.ts";
import type { PaymentsDatabase } from "../../database.ts";

/** The database on connections of lists alone. */
export type ListConnections = { db: Kysely<PaymentsDatabase>; end(): Promise<void> };

export function connectLists(config: Config, log: Logger): ListConnections {
  const pool = createListPool({
    url: config.DATABASE_URL,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "payments",
    log,
  });
  return { db: createDatabase(pool), end: () => pool.end() };
}
