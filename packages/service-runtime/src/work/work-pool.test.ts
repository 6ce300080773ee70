import { expect, test, vi } from "vitest";
import { createLogger } from "../process/logger.ts";
import { startWorkPool } from "./work-pool.ts";

const HOUR = 3_600_000;

/** A table of due items, leased from the front; each is under way until the test ends it. */
function createQueue(length: number) {
  const due = Array.from({ length }, (_, index) => index);
  const ends = new Map<number, () => void>();
  return {
    due,
    underWay: ends,
    lease: async (limit: number) => due.splice(0, limit),
    work: async (item: number) => {
      await new Promise<void>((resolve) => ends.set(item, resolve));
      ends.delete(item);
    },
    end: (item: number) => ends.get(item)!(),
  };
}

const quiet = createLogger("test", "fatal");

test("an item that hangs delays no other, and never more than the bound are under way", async () => {
  const queue = createQueue(10);
  const pool = startWorkPool("recovery", { ...queue, inFlightMax: 3, intervalMs: HOUR, log: quiet });
  await vi.waitFor(() => expect([...queue.underWay.keys()]).toEqual([0, 1, 2]));
  for (let item = 1; item < 10; item++) {
    await vi.waitFor(() => expect(queue.underWay.has(item)).toBe(true));
    expect(queue.underWay.size).toBeLessThanOrEqual(3);
    queue.end(item);
  }
  await vi.waitFor(() => expect([...queue.underWay.keys()]).toEqual([0]));
  queue.end(0);
  await pool.stop(HOUR);
});

test("work that becomes due later is found after the interval", async () => {
  const queue = createQueue(0);
  const pool = startWorkPool("recovery", { ...queue, inFlightMax: 3, intervalMs: 1, log: quiet });
  queue.due.push(7);
  await vi.waitFor(() => expect(queue.underWay.has(7)).toBe(true));
  queue.end(7);
  await pool.stop(HOUR);
});

test("while the clock is off nothing is leased, and what is under way goes on", async () => {
  const queue = createQueue(1);
  const clock = { off: false, asked: 0, isOff: () => (clock.asked++, clock.off) };
  const pool = startWorkPool("recovery", { ...queue, inFlightMax: 3, intervalMs: 1, clock, log: quiet });
  await vi.waitFor(() => expect(queue.underWay.has(0)).toBe(true));
  clock.off = true;
  queue.due.push(7);
  const { asked } = clock;
  await vi.waitFor(() => expect(clock.asked).toBeGreaterThan(asked + 2));
  expect([...queue.underWay.keys()]).toEqual([0]);
  clock.off = false;
  await vi.waitFor(() => expect(queue.underWay.has(7)).toBe(true));
  queue.end(0);
  queue.end(7);
  await pool.stop(HOUR);
});

test("an item that throws and a lease that fails are told, and the work goes on", async () => {
  const lines: string[] = [];
  const log = createLogger("test", "error", { write: (line: string) => void lines.push(line) });
  const third = Promise.withResolvers<void>();
  let leases = 0;
  const pool = startWorkPool("recovery", {
    inFlightMax: 1,
    intervalMs: 1,
    lease: async () => {
      leases++;
      if (leases === 1) throw new Error("away");
      return [leases];
    },
    work: async (item) => {
      if (item === 2) throw new Error("broken");
      third.resolve();
    },
    log,
  });
  await third.promise;
  await pool.stop(HOUR);
  expect(lines.slice(0, 2).map((line) => JSON.parse(line))).toMatchObject([
    { operation: "recovery", msg: "a round failed" },
    { operation: "recovery", msg: "an item failed" },
  ]);
});

test("stopping waits for what is under way, no longer than it may, and begins nothing more", async () => {
  const queue = createQueue(5);
  const pool = startWorkPool("recovery", { ...queue, inFlightMax: 2, intervalMs: HOUR, log: quiet });
  await vi.waitFor(() => expect(queue.underWay.size).toBe(2));
  await pool.stop(1);
  let isOver = false;
  const stopped = pool.stop(HOUR).then(() => (isOver = true));
  queue.end(0);
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  queue.end(1);
  await stopped;
  expect(queue.due).toEqual([2, 3, 4]);
});
