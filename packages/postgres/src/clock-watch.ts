import { metrics } from "@holdfast/telemetry";
import { sql, type Kysely } from "kysely";
import type { Pool } from "pg";
import { createDatabase } from "./create-database.ts";
import { checkThat } from "@holdfast/service-runtime";
import type { ReadinessCheck } from "@holdfast/service-runtime";
import type { Logger } from "@holdfast/service-runtime";
import { pause } from "@holdfast/service-runtime";

/** The last comparison of this machine's clock with the database's. */
export type ClockWatch = {
  /** The milliseconds by which the database is ahead of this machine; 0 before the first measurement. */
  readonly skewMs: number;
  /** Tells whether the clock is certainly off by more than the limit, or has never been measured. */
  isOff(): boolean;
  /** Calls `listener` after each measurement that changes what `isOff` answers. */
  onChange(listener: () => void): void;
  /** The check for `/readyz`. */
  readonly check: ReadinessCheck;
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
  /** This machine's clock, in epoch milliseconds. */
  now?: () => number;
  /** Called with each measurement's skew in milliseconds, before `onChange`. */
  onMeasured?: (skewMs: number) => void;
};

/**
 * Measures how far the database's clock is ahead of this machine's: once before it resolves, and then at intervals for
 * as long as the process runs. Deadlines, expiries and ages are computed from this machine's clock, so a process whose
 * clock is off declines payments that are in time, or begins payments whose merchant has given up. A measurement that
 * fails changes nothing: readiness reports the database anyway.
 */
export async function startClockWatch(options: ClockWatchOptions): Promise<ClockWatch> {
  const { intervalMs, offIntervalMs = 1_000, limitMs = CLOCK_LIMIT_MS, log } = options;
  const db = createDatabase<unknown>(options.pool);
  const gauge = metrics.getMeter("service-runtime").createGauge("holdfast.clock.skew", {
    description: "Database's clock ahead of this machine's, as last measured",
    unit: "s",
  });
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let last: Measurement | undefined;
  const isOff = () => last === undefined || Math.abs(last.skewMs) - last.errorMs > limitMs;
  const alarm = createAlarm(log, intervalMs);

  const round = async () => {
    const before = isOff();
    try {
      const measured = await measureSkew(db, options.now);
      if (last && measured.errorMs > PRECISION_MS) return;
      last = measured;
      gauge.record(measured.skewMs / 1_000);
    } catch (error) {
      log.warn({ operation: "measure clock", error }, "the clock could not be compared with the database's");
      return;
    }
    options.onMeasured?.(last.skewMs);
    alarm({ isOff: isOff(), skewMs: last.skewMs });
    if (isOff() !== before) for (const listener of listeners) listener();
  };
  await round();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await pause(isOff() ? Math.min(offIntervalMs, intervalMs) : intervalMs, stopping.signal);
      if (!stopping.signal.aborted) await round();
    }
  })();

  return {
    get skewMs() {
      return last?.skewMs ?? 0;
    },
    isOff,
    onChange: (listener) => void listeners.add(listener),
    check: checkThat("clock", () => !isOff()),
    async stop(timeoutMs) {
      stopping.abort();
      await Promise.race([running, pause(timeoutMs)]);
    },
  };
}

/** Two services may each be off by this much, and a command still has seconds left of its deadline. */
const CLOCK_LIMIT_MS = 2_000;

type Measurement = {
  /** Rounded to whole milliseconds. */
  skewMs: number;
  /** The skew is off by at most this: half of the query's duration. */
  errorMs: number;
};

/**
 * The quickest of a few queries is the most precise, and one that is quick is enough. They use one connection, so no wait
 * for one is counted.
 */
async function measureSkew(db: Kysely<unknown>, now: () => number = () => Date.now()): Promise<Measurement> {
  return await db.connection().execute(async (connection) => {
    let quickest: Measurement | undefined;
    for (let question = 0; question < QUESTIONS; question++) {
      const askedAt = performance.now();
      const { rows } = await sql<{ now: number }>`
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.execute(connection);
      const errorMs = (performance.now() - askedAt) / 2;
      if (quickest && errorMs >= quickest.errorMs) continue;
      quickest = { skewMs: Math.round(rows[0]!.now + errorMs - now()), errorMs };
      if (errorMs <= PRECISE_MS) break;
    }
    return quickest!;
  });
}

const QUESTIONS = 3;
/** A fiftieth of a limit of two seconds: no further query could change the decision. */
const PRECISE_MS = 40;

/** A slower answer tells less than the measurement before. */
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
