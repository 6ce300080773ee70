import { expect, test } from "vitest";

import { NOON } from "../../test/test-bank.ts";
import { Bank } from "./bank.ts";
import { BusinessDay, type EndedDay } from "./business-day.ts";

test("a day ends after its lines are on the disk, and nothing is judged before its end is, too", async () => {
  const events: string[] = [];
  const [lines, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const day = dayWith(events, { flushed: () => lines.promise, append: () => end.promise });
  const ended = day.end();
  const judged = day.isOpen().then(() => events.push("judged"));
  // A call that does not wait has its turn.
  await new Promise((resolve) => setImmediate(resolve));
  events.push("lines");
  lines.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  events.push("end");
  end.resolve();
  await Promise.all([ended, judged]);
  expect(events).toEqual(["lines", "append", "end", "settlements 1", "judged"]);
});

test("an end that fails settles nothing, and the next one does", async () => {
  const events: string[] = [];
  const ends = [Promise.reject(new Error("disk")), Promise.resolve()];
  const day = dayWith(events, {
    flushed: () => Promise.resolve(),
    append: () => ends.shift() ?? Promise.resolve(),
  });
  await expect(day.end()).rejects.toThrow("disk");
  expect(day.closedAt).toBeUndefined();
  await day.end();
  await day.isOpen();
  expect(day.closedAt).toBe(new Date(NOON).toISOString());
  expect(events).toEqual(["append", "append", "settlements 1"]);
});

function dayWith(
  events: string[],
  disk: { flushed: () => Promise<void>; append: () => Promise<void> },
): BusinessDay {
  return new BusinessDay({
    bank: new Bank(),
    ledger: { flushed: disk.flushed },
    closings: {
      append: () => {
        events.push("append");
        return disk.append();
      },
    },
    now: () => NOON,
    writeSettlements: ({ batch }: EndedDay) => {
      events.push(`settlements ${batch}`);
      return Promise.resolve();
    },
    closedAt: undefined,
  });
}
