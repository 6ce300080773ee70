import type { Pool } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startClockWatch, type ClockWatch, type ClockWatchOptions } from "./clock-watch.ts";
import { createLogger } from "@holdfast/service-runtime";

const NOW = 1_800_000_000_000;

// A query takes as long as the test says.
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** A database with a stopped clock, and the log lines about it. */
function setUp() {
  const database = { now: NOW, queryMs: 0, isAway: false, queries: 0, refusals: 0 };
  const connection = {
    async query() {
      database.queries++;
      vi.advanceTimersByTime(database.queryMs);
      return { command: "SELECT", rowCount: 1, rows: [{ now: database.now }] };
    },
    release() {},
  };
  const pool = {
    options: {},
    async connect() {
      if (database.isAway) {
        database.refusals++;
        throw new Error("away");
      }
      return connection;
    },
  } as unknown as Pool;
  const lines: { level: string; msg: string; skewMs?: number }[] = [];
  const log = createLogger("test", "info", { write: (line: string) => void lines.push(JSON.parse(line)) });
  const start = async (options: Partial<ClockWatchOptions> = {}): Promise<ClockWatch> => {
    const watch = await startClockWatch({ pool, log, intervalMs: 1, now: () => NOW, ...options });
    onTestFinished(() => watch.stop(1_000));
    return watch;
  };
  return { database, lines, start };
}

async function changed(watch: ClockWatch): Promise<void> {
  await new Promise<void>((resolve) => watch.onChange(resolve));
}

test("a clock within two seconds is right, and one beyond is off until it is right again", async () => {
  const { database, lines, start } = setUp();
  database.now = NOW + 2_000;
  const watch = await start();
  expect(watch.isOff()).toBe(false);
  expect(watch.check.check()).toBeUndefined();

  database.now = NOW - 2_001;
  await changed(watch);
  expect(watch.isOff()).toBe(true);
  expect(watch.skewMs).toBe(-2_001);
  expect(() => watch.check.check()).toThrow("clock");
  expect(lines).toMatchObject([{ level: "error", skewMs: -2_001 }]);

  database.now = NOW;
  await changed(watch);
  expect(watch.isOff()).toBe(false);
  expect(lines).toMatchObject([{ level: "error" }, { level: "info", skewMs: 0 }]);
});

test("half of the query's duration is taken off, and a clock that may be right is not called off", async () => {
  const { database, start } = setUp();
  database.queryMs = 600;
  database.now = NOW + 2_200 - 300;
  const watch = await start();
  expect(watch.skewMs).toBe(2_200);
  expect(watch.isOff()).toBe(false);
});

test("a slow or failed measurement keeps the one before", async () => {
  const { database, start } = setUp();
  const measured: number[] = [];
  const watch = await start({ onMeasured: (skewMs) => measured.push(skewMs) });
  database.queryMs = 30_000;
  database.now = NOW + 60_000;
  const { queries } = database;
  await vi.waitUntil(() => database.queries > queries + 6);
  database.isAway = true;
  await vi.waitUntil(() => database.refusals > 1);
  expect(watch.skewMs).toBe(0);
  expect(watch.isOff()).toBe(false);
  expect(new Set(measured)).toEqual(new Set([0]));
});

test("a clock that could not be measured yet is off, which is no alarm, and right as soon as it is measured", async () => {
  const { database, lines, start } = setUp();
  database.isAway = true;
  const watch = await start();
  expect(watch.isOff()).toBe(true);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  const right = changed(watch);
  database.isAway = false;
  await right;
  expect(watch.isOff()).toBe(false);
});

test("the answer that readiness gets of the database is a measurement, if it is a quick one", async () => {
  const { database, start } = setUp();
  const watch = await start({ intervalMs: 3_600_000 });
  database.now = NOW + 5_000;
  database.queryMs = 200;
  await watch.database.check();
  expect(watch.skewMs).toBe(0);
  database.queryMs = 0;
  await watch.database.check();
  expect(watch.skewMs).toBe(5_000);
  expect(watch.isOff()).toBe(true);
});

test("a clock that is set is measured soon, however long the interval is", async () => {
  const { start } = setUp();
  let now = NOW;
  const watch = await start({ intervalMs: 3_600_000, stepIntervalMs: 1, now: () => now });
  expect(watch.isOff()).toBe(false);
  now += 10_000;
  await changed(watch);
  expect(watch.skewMs).toBe(-10_000);
});
