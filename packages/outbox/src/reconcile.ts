import { randomUUIDv7 } from "node:crypto";
import { findMissingEvents, type EventSource } from "@holdfast/contracts";
import { request, type Bus } from "@holdfast/messaging";
import { startPeriodicTask, type Logger, type PeriodicTask } from "@holdfast/service-runtime";
import type { Pool } from "pg";
import { createHeldLock, type HeldLock } from "./held-lock.ts";
import { createOutboxMetrics } from "./outbox-metrics.ts";
import { findConfirmed, measureBacklog, reopen } from "./outbox-statements.ts";
import type { OutboxSettings } from "./outbox-settings.ts";

export type ReconcileDeps = { pool: Pick<Pool, "query">; bus: Bus; source: EventSource };

export type Reconciliation = {
  /** Confirmed events that were compared. */
  compared: number;
  /** Events that the dispatcher lacks; their rows are open again. Even a single one is an incident. */
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
    const { missing } = await askDispatcher(bus, source, eventIds);
    await reopen(pool, missing);
    result.compared += eventIds.length;
    result.missing.push(...missing);
    after = eventIds.at(-1);
  }
}

const PAGE = 500;

/** The events of the question that are missing, and the time since which the dispatcher keeps events. */
type Comparison = { missing: string[]; keptSince: string };

/** @throws DispatcherSilentError */
export async function askDispatcher(bus: Bus, source: EventSource, eventIds: string[]): Promise<Comparison> {
  const now = Date.now();
  const context = { requestId: randomUUIDv7(), deadlineAt: now + ASK_TIMEOUT_MS, service: { name: source } };
  const options = { waitUntil: now + ASK_TIMEOUT_MS, traceparent: "" };
  const reply = await request(bus, findMissingEvents, context, { eventIds }, options);
  if (reply.outcome !== "done") throw new DispatcherSilentError(`the dispatcher's answer: ${reply.outcome}`);
  return reply.result;
}

const ASK_TIMEOUT_MS = 10_000;

/**
 * Periodically compares the latest events and measures what is still open. Of all processes of a service one compares,
 * since more would only ask the same again; another one takes over when it is gone.
 */
export function startReconciliation(
  deps: ReconcileDeps & { pool: Pool; settings: OutboxSettings; log: Logger },
): PeriodicTask[] {
  const { settings, log, source, pool } = deps;
  const metrics = createOutboxMetrics(source);
  let unconfirmed = 0;
  const intervalMs = settings.OUTBOX_RECONCILE_INTERVAL;
  const lock = createHeldLock(pool, { name: "reconcile", idleMaxMs: intervalMs + TAKE_OVER_AFTER_MS });
  const comparing = startPeriodicTask("reconcile events", {
    intervalMs,
    round: async () => {
      const result = await reconcileLatest(deps, { lock, intervalMs, now: Date.now() });
      if (!result) return;
      metrics.missing(result.missing.length);
      if (result.missing.length > 0)
        log.error({ count: result.missing.length }, "confirmed events were missing at the dispatcher");
    },
    log,
  });
  return [
    {
      async stop(timeoutMs) {
        await comparing.stop(timeoutMs);
        lock.release();
      },
    },
    startPeriodicTask("measure the outbox", {
      intervalMs: () => (unconfirmed === 0 ? MEASURE_EMPTY_INTERVAL_MS : MEASURE_INTERVAL_MS),
      async round() {
        const measured = await measureBacklog(pool);
        unconfirmed = measured.unconfirmed;
        metrics.backlog(measured);
      },
      log,
    }),
  ];
}

/**
 * One round of the periodic comparison. It goes back three intervals, so that neither a round that fails nor a process
 * that dies leaves a gap: another one has the lock within two intervals.
 *
 * @returns undefined when another process compares.
 */
export async function reconcileLatest(
  { bus, source }: Omit<ReconcileDeps, "pool">,
  { lock, intervalMs, now }: { lock: HeldLock; intervalMs: number; now: number },
): Promise<Reconciliation | undefined> {
  const connection = await lock.hold();
  if (!connection) return undefined;
  const from = new Date(now - 3 * intervalMs - TAKE_OVER_AFTER_MS);
  return await reconcile({ pool: connection, bus, source }, { from, to: new Date(now - SETTLED_AFTER_MS) });
}

const SETTLED_AFTER_MS = 5_000;
const MEASURE_INTERVAL_MS = 15_000;
/** An event may wait for minutes before anybody has to know. */
const MEASURE_EMPTY_INTERVAL_MS = 60_000;
const TAKE_OVER_AFTER_MS = 30_000;
