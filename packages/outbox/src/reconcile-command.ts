import { parseArgs } from "node:util";
import type { EventSource } from "@holdfast/contracts";
import { busOptions, connectBus, type BusSettings } from "@holdfast/messaging";
import { ConfigError, createPool, createLogger, describeError, flushLog } from "@holdfast/service-runtime";
import { reconcile } from "./reconcile.ts";

type Connections = BusSettings & { DATABASE_URL: string };

/**
 * The command that each owner of an outbox has, for use after a dispatcher's database was restored. It compares all
 * events since a time and opens the missing ones again. It exits with 1 when events were missing or could not be
 * compared.
 *
 *   DATABASE_URL=… NATS_URL=… NATS_USER=… NATS_PASSWORD=… node src/reconcile.ts --since 2026-11-20T00:00:00Z
 *
 * On the bus it signs in as the service, and needs no further permission.
 */
export async function runReconcileCommand(source: EventSource, readConfig: () => Connections): Promise<void> {
  try {
    const { values } = parseArgs({ options: { since: { type: "string", default: "1970-01-01T00:00:00Z" } } });
    const from = new Date(values.since);
    if (Number.isNaN(from.getTime()))
      throw new TypeError("--since must be a time such as 2026-11-20T00:00:00Z");
    const { compared, missing } = await reconcileSince(source, readConfig(), from);
    process.stdout.write(`${source}: ${compared} confirmed events compared, ${missing.length} missing\n`);
    for (const eventId of missing) process.stdout.write(`${eventId}\n`);
    if (missing.length > 0) process.exitCode = 1;
  } catch (error) {
    const isPlain = error instanceof ConfigError || error instanceof TypeError;
    process.stderr.write(`${source}: ${isPlain ? error.message : JSON.stringify(describeError(error))}\n`);
    process.exitCode = 1;
  }
}

async function reconcileSince(source: EventSource, config: Connections, from: Date) {
  const log = createLogger(source, "error");
  const pool = createPool({
    url: config.DATABASE_URL,
    connectionsMax: 2,
    applicationName: `${source}-reconcile`,
    log,
  });
  const bus = await connectBus({ ...busOptions(config), name: `${source}-reconcile` });
  try {
    return await reconcile({ pool, bus, source }, { from, to: new Date() });
  } finally {
    await bus.close(1_000);
    await pool.end();
    await flushLog(log);
  }
}
