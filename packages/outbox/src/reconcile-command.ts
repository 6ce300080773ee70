import type { EventSource } from "@holdfast/contracts";
import { busOptions, connectBus } from "@holdfast/messaging";
import { COMMAND_CONNECTION_TIMEOUT_MS, createPool } from "@holdfast/postgres";
import {
  busSettings,
  commonSettings,
  commonWires,
  ConfigError,
  createLogger,
  describeError,
  flushLog,
  parseConfig,
  readCommandLine,
  plaintextSettings,
  refusePlaintext,
  UsageError,
} from "@holdfast/service-runtime";
import { z } from "zod";
import { askDispatcher, reconcile, type ReconcileDeps, type Reconciliation } from "./reconcile.ts";

/** The service's own settings for its database and the bus. */
export const reconcileSchema = z
  .object({ DATABASE_URL: commonSettings.DATABASE_URL, ...busSettings, ...plaintextSettings })
  .check(refusePlaintext((settings) => commonWires(settings)));
type Connections = z.infer<typeof reconcileSchema>;

const HELP = `holdfast reconcile SERVICE [--since TIME]

Compares the confirmed events since a time with those of the dispatcher, and opens the missing ones again.

  --since TIME   such as 2026-11-20T00:00:00Z (default: as far back as the dispatcher keeps events)

exits with 1 when events were missing or could not be compared
`;

/**
 * The command that each owner of an outbox has, for use after a dispatcher's database was restored. It compares the
 * events since a time and opens the missing ones again. Without a time it goes back as far as the dispatcher keeps
 * events. It exits with 1 when events were missing or could not be compared.
 *
 *   DATABASE_URL=… NATS_URL=… NATS_USER=… NATS_PASSWORD=… holdfast reconcile payments --since 2026-11-20T00:00:00Z
 *
 * On the bus it signs in as the service, and needs no further permission.
 */
export async function runReconcileCommand(
  source: EventSource,
  args: string[],
  env = process.env,
): Promise<void> {
  try {
    const line = readCommandLine(args, { help: HELP, options: { since: { type: "string" } } });
    if (!line) return;
    const { values } = line;
    const since = values.since === undefined ? undefined : new Date(values.since);
    if (Number.isNaN(since?.getTime()))
      throw new UsageError("--since must be a time such as 2026-11-20T00:00:00Z");
    const { compared, missing, from } = await connectAndReconcile(
      source,
      parseConfig(reconcileSchema, env),
      since,
    );
    process.stdout.write(
      `${source}: ${compared} confirmed events since ${from.toISOString()} compared, ${missing.length} missing\n`,
    );
    for (const eventId of missing) process.stdout.write(`${eventId}\n`);
    if (missing.length > 0) process.exitCode = 1;
  } catch (error) {
    const isPlain =
      error instanceof ConfigError || error instanceof UsageError || error instanceof NotComparableError;
    process.stderr.write(`${source}: ${isPlain ? error.message : JSON.stringify(describeError(error))}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** Events of this time cannot be compared, and nothing was. */
export class NotComparableError extends Error {
  override name = "NotComparableError";
  readonly code = "not_comparable";
}

/**
 * Compares the events since a time, or all that the dispatcher keeps. An earlier time is refused: events that
 * the dispatcher's retention has dropped would seem missing, and merchants would get webhooks of months ago
 * again.
 *
 * @throws NotComparableError before anything is opened again.
 */
export async function reconcileSince(
  deps: ReconcileDeps,
  since: Date | undefined,
): Promise<Reconciliation & { from: Date }> {
  const { keptSince } = await askDispatcher(deps.bus, deps.source, []);
  const from = since ?? new Date(keptSince);
  if (from < new Date(keptSince)) {
    throw new NotComparableError(
      `--since is ${from.toISOString()}, but the dispatcher keeps events since ${keptSince} only ` +
        "(WEBHOOK_EVENT_RETENTION_DAYS). Nothing was compared",
    );
  }
  return { ...(await reconcile(deps, { from, to: new Date() })), from };
}

async function connectAndReconcile(source: EventSource, config: Connections, since: Date | undefined) {
  const log = createLogger(source, "error");
  const pool = createPool({
    url: config.DATABASE_URL,
    connectionsMax: 2,
    connectionTimeoutMs: COMMAND_CONNECTION_TIMEOUT_MS,
    applicationName: `${source}-reconcile`,
    log,
  });
  const bus = await connectBus({ ...busOptions(config), name: `${source}-reconcile` });
  try {
    return await reconcileSince({ pool, bus, source }, since);
  } finally {
    await bus.close(1_000);
    await pool.end();
    await flushLog(log);
  }
}
