import { meterOf } from "@holdfast/telemetry";
import type { Kysely } from "kysely";
import type { Pool } from "pg";
import { askClock, databaseCheck, PRECISE_MS, type Measurement } from "./ask-clock.ts";
import { createDatabase } from "./create-database.ts";
import { checkThat } from "@holdfast/service-runtime";
import type { ReadinessCheck } from "@holdfast/service-runtime";
import type { Logger } from "@holdfast/service-runtime";
import { pause } from "@holdfast/service-runtime";

/** The last comparison of this machine's clock with the database's. */
export type ClockWatch = {
  /** The milliseconds by which the database is ahead of this machine; 0 before the first measurement. */
  readonly skewMs: number;
  /** True if the clock is certainly off by more than the limit, or has never been measured. */
  isOff(): boolean;
  /** Calls `listener` after each measurement that changes what `isOff` answers. */
  onChange(listener: () => void): void;
  /** The check of the clock for `/readyz`. */
  readonly check: ReadinessCheck;
  /** The check of the database for `/readyz`. Its answer is a measurement, so that none is made beside it. */
  readonly database: ReadinessCheck;
  stop(timeoutMs: number): Promise<void>;
};

export type ClockWatchOptions = {
  pool: Pool;
  log: Logger;
  /** The skew beyond which the process takes no new work. */
  limitMs?: number;
  intervalMs: number;
  /** The interval while the clock is off, so that work begins again soon after it is right. */
  offIntervalMs?: number;
  /** The interval between looks whether this machine's clock was set, which has it measured. */
  stepIntervalMs?: number;
  /** This machine's clock, in epoch milliseconds. */
  now?: () => number;
  /** Called with each measurement's skew in milliseconds, before `onChange`. */
  onMeasured?: (skewMs: number) => void;
};

/**
 * Measures how far the database's clock is ahead of this machine's: once before it resolves, then at
 * intervals while the process runs, and soon after this machine's clock was set. Deadlines, expiries and ages
 * are computed from this machine's clock. A process whose clock is off would decline payments that are in
 * time, or begin payments whose merchant has given up. A failed measurement changes nothing: readiness
 * reports the database anyway.
 */
export async function startClockWatch(options: ClockWatchOptions): Promise<ClockWatch> {
  const { pool, intervalMs, offIntervalMs = 1_000, limitMs = CLOCK_LIMIT_MS, log } = options;
  const { now = () => Date.now(), stepIntervalMs = STEP_INTERVAL_MS } = options;
  const db = createDatabase<unknown>(pool);
  const gauge = createGauge();
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let last: Measurement | undefined;
  let waitedMs = 0;
  const steps = watchSteps(now);
  const isOff = () => last === undefined || Math.abs(last.skewMs) - last.errorMs > limitMs;
  const alarm = createAlarm(log, intervalMs);

  const take = (measured: Measurement) => {
    const before = isOff();
    last = measured;
    waitedMs = 0;
    steps.forget();
    gauge.record(measured.skewMs / 1_000);
    options.onMeasured?.(measured.skewMs);
    alarm({ isOff: isOff(), skewMs: measured.skewMs });
    if (isOff() !== before) for (const listener of listeners) listener();
  };
  const round = async () => {
    waitedMs = 0;
    try {
      const measured = await measureSkew(db, now);
      if (last && measured.errorMs > PRECISION_MS) return;
      take(measured);
    } catch (error) {
      log.warn({ operation: "measure clock", error }, "the clock could not be compared with the database's");
    }
  };
  await round();
  const untilMs = () => (isOff() ? Math.min(offIntervalMs, intervalMs) : intervalMs) - waitedMs;
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const waitMs = Math.min(stepIntervalMs, Math.max(0, untilMs()));
      await pause(waitMs, stopping.signal);
      waitedMs += waitMs;
      if (!stopping.signal.aborted && (untilMs() <= 0 || steps.wasSet())) await round();
    }
  })();

  return {
    get skewMs() {
      return last?.skewMs ?? 0;
    },
    isOff,
    onChange: (listener) => void listeners.add(listener),
    check: checkThat("clock", () => !isOff()),
    database: databaseCheck(pool, { now, onPrecise: take }),
    async stop(timeoutMs) {
      stopping.abort();
      await Promise.race([running, pause(timeoutMs)]);
    },
  };
}

function createGauge() {
  return meterOf("service-runtime").createGauge("holdfast.clock.skew", {
    description: "Database's clock ahead of this machine's, as last measured",
    unit: "s",
  });
}

/** Two services may each be off by this much, and a command still has seconds left of its deadline. */
const CLOCK_LIMIT_MS = 2_000;
const STEP_INTERVAL_MS = 5_000;

/** True if this machine's clock was set since the last `forget`, by the monotonic one, which never is. */
function watchSteps(now: () => number): { forget(): void; wasSet(): boolean } {
  const ahead = () => now() - performance.now();
  let before = ahead();
  return {
    forget: () => void (before = ahead()),
    wasSet: () => Math.abs(ahead() - before) > STEP_MS,
  };
}

/** A step is larger than the uncertainty of two readings of two clocks. */
const STEP_MS = 500;

/**
 * The quickest of a few questions is the most precise, and one that is quick is enough. They use one connection, so no
 * wait for one is counted.
 */
async function measureSkew(db: Kysely<unknown>, now: () => number): Promise<Measurement> {
  return await db.connection().execute(async (connection) => {
    let quickest: Measurement | undefined;
    for (let question = 0; question < QUESTIONS; question++) {
      const { skewMs, errorMs } = await askClock(connection, now);
      if (quickest && errorMs >= quickest.errorMs) continue;
      quickest = { skewMs, errorMs };
      if (errorMs <= PRECISE_MS) break;
    }
    return quickest!;
  });
}

const QUESTIONS = 3;

/** A slower answer is less precise than the previous measurement. */
const PRECISION_MS = 500;

/** Logs that the clock is off, again after each `intervalMs`, and that it is right again. */
function createAlarm(log: Logger, intervalMs: number): (state: { isOff: boolean; skewMs: number }) => void {
  let alarmedAt: number | undefined;
  return ({ isOff, skewMs }) => {
    if (!isOff) {
      if (alarmedAt !== undefined) log.info({ skewMs }, "this machine's clock is right again");
      alarmedAt = undefined;
      return;
    }
    const at = performance.now();
    if (alarmedAt !== undefined && at - alarmedAt < intervalMs) return;
    alarmedAt = at;
    log.error({ skewMs }, "this machine's clock is off: no new work is taken");
  };
}
