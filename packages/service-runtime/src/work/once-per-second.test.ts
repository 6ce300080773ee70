import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { oncePerSecond } from "./once-per-second.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("however many there are, one report a second says how many", () => {
  const report = vi.fn();
  const happened = oncePerSecond(report);
  for (let index = 0; index < 1_000; index++) happened();
  vi.advanceTimersByTime(999);
  expect(report).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(report.mock.calls).toEqual([[1_000]]);
});

test("a second without any has no report, and the next one begins to count again", () => {
  const report = vi.fn();
  const happened = oncePerSecond(report);
  happened();
  vi.advanceTimersByTime(10_000);
  happened();
  happened();
  vi.advanceTimersByTime(10_000);
  expect(report.mock.calls).toEqual([[1], [2]]);
});
