import { randomUUIDv7 } from "node:crypto";
import { findMissingEvents, type EventSource } from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import { startPeriodicTask, type Logger, type PeriodicTask } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import { createOutboxMetrics } from "./outbox-metrics.ts";
import { findConfirmed, measureBacklog, reopen } from "./outbox-statements.ts";
import type { OutboxSettings } from "./outbox-settings.ts";

export type ReconcileDeps = { pool: Pool; bus: Bus; source: EventSource };

export type Reconciliation = {
  /** Confirmed events that were compared. */
  compared: number;
  /** Events that the dispatcher does not have; their rows are open again. A single one is an incident. */
  missing: string[];
};

/** The dispatcher did not answer, so nothing could be compared. */
export class DispatcherSilentError extends Error {
  override name = "DispatcherSilentError";
  readonly code = "dispatcher_silent";
}

/**
 * Asks the dispatcher whether it has the events that it has confirmed: after its database was restored from a backup,
 * some may be missing. Those are opened again and so published again, which is safe: the dispatcher recognizes an event
 * by its id.
 */
export async function reconcile(
  { pool, bus, source }: ReconcileDeps,
  { from, to }: { from: Date; to: Date },
): Promise<Reconciliation> {
  const result: Reconciliation = { compared: 0, missing: [] };
  let after: string | undefined;
  for (;;) {
    const eventIds = await findConfirmed(pool, { from, to, after, limit: PAGE });
    if (eventIds.length === 0) return result;
    const missing = await askDispatcher(bus, source, eventIds);
    await reopen(pool, missing);
    result.compared += eventIds.length;
    result.missing.push(...missing);
    after = eventIds.at(-1);
  }
}

const PAGE = 500;

async function askDispatcher(bus: Bus, source: EventSource, eventIds: string[]): Promise<string[]> {
  const now = Date.now();
  const context = { requestId: randomUUIDv7(), deadlineAt: now + ASK_TIMEOUT_MS, service: { name: source } };
  const reply = await request(
    bus,
    findMissingEvents,
    context,
    { eventIds },
    {
      waitUntil: now + ASK_TIMEOUT_MS,
      traceparent: "",
    },
  );
  if (reply.outcome !== "done") throw new DispatcherSilentError(`the dispatcher's answer: ${reply.outcome}`);
  return reply.result.missing;
}

const ASK_TIMEOUT_MS = 10_000;

/** Periodically compares the latest events and measures what is still open. */
export function startReconciliation(
  deps: ReconcileDeps & { settings: OutboxSettings; log: Logger },
): PeriodicTask[] {
  const { settings, log, source, pool } = deps;
  const metrics = createOutboxMetrics(source);
  const intervalMs = settings.OUTBOX_RECONCILE_INTERVAL;
  return [
    startPeriodicTask("reconcile events", {
      intervalMs,
      round: async () => {
        // Twice the interval, so that a round that fails leaves no gap.
        const from = new Date(Date.now() - 2 * intervalMs - SETTLED_AFTER_MS);
        const { missing } = await reconcile(deps, { from, to: new Date(Date.now() - SETTLED_AFTER_MS) });
        metrics.missing(missing.length);
        if (missing.length > 0)
          log.error({ count: missing.length }, "confirmed events were missing at the dispatcher");
      },
      log,
    }),
    startPeriodicTask("measure the outbox", {
      intervalMs: MEASURE_INTERVAL_MS,
      round: async () => metrics.backlog(await measureBacklog(pool)),
      log,
    }),
  ];
}

const SETTLED_AFTER_MS = 5_000;
const MEASURE_INTERVAL_MS = 15_000;
