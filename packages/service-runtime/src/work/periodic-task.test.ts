import { expect, test } from "vitest";
import { createLogger } from "../process/logger.ts";
import { startPeriodicTask } from "./periodic-task.ts";

const HOUR = 3_600_000;

test("a round that throws is told, and the next one comes", async () => {
  const lines: string[] = [];
  const log = createLogger("test", "error", { write: (line: string) => void lines.push(line) });
  const second = Promise.withResolvers<void>();
  let rounds = 0;
  const round = async () => {
    if (++rounds === 1) throw new Error("away");
    second.resolve();
  };
  const task = startPeriodicTask("recovery", { intervalMs: 1, round, log });
  await second.promise;
  await task.stop(1_000);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ operation: "recovery" }]);
});

test("while the clock is off no round is begun, and they go on once it is right", async () => {
  const log = createLogger("test", "error");
  const asked = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let isRight = false;
  let rounds = 0;
  const isOff = () => {
    asked.resolve();
    return !isRight;
  };
  const round = async () => {
    rounds++;
    begun.resolve();
  };
  const task = startPeriodicTask("recovery", { intervalMs: 1, round, clock: { isOff }, log });
  await asked.promise;
  expect(rounds).toBe(0);
  isRight = true;
  await begun.promise;
  await task.stop(HOUR);
});

test("stopping ends the pause, waits for the round under way, and for no longer than it may", async () => {
  const log = createLogger("test", "error");
  const ends = Promise.withResolvers<void>();
  let rounds = 0;
  const round = async () => {
    rounds++;
    await ends.promise;
  };
  const task = startPeriodicTask("recovery", { intervalMs: HOUR, round, log });
  await task.stop(1);
  let isOver = false;
  const stopped = task.stop(HOUR).then(() => (isOver = true));
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  ends.resolve();
  await stopped;

  const pausing = startPeriodicTask("recovery", { intervalMs: HOUR, round, log });
  await new Promise(setImmediate);
  await pausing.stop(HOUR);
  expect(rounds).toBe(2);
});
