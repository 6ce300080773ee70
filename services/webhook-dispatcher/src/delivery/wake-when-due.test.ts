import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createWakeWhenDue } from "./wake-when-due.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("it wakes when a retry is due, not before, and within a quarter of a second", () => {
  const wake = vi.fn<() => void>();
  createWakeWhenDue(wake).note(30_000);
  vi.advanceTimersByTime(29_999);
  expect(wake).not.toHaveBeenCalled();
  vi.advanceTimersByTime(251);
  expect(wake).toHaveBeenCalledOnce();
});

test("retries that are due together share one timer, and one that is due already has its own soon", () => {
  const wake = vi.fn<() => void>();
  const retries = createWakeWhenDue(wake);
  for (let retry = 0; retry < 1_000; retry++) retries.note(60_000 + retry / 10);
  retries.note(-5);
  // Two where their time is at the edge of a share.
  expect(vi.getTimerCount()).toBeLessThanOrEqual(3);
  vi.advanceTimersByTime(251);
  expect(wake).toHaveBeenCalledOnce();
});

test("a later one wakes within a 240th of its wait, and shares its timer with those about it", () => {
  const wake = vi.fn<() => void>();
  const retries = createWakeWhenDue(wake);
  for (let retry = 0; retry < 1_000; retry++) retries.note(900_000 + retry);
  expect(vi.getTimerCount()).toBeLessThanOrEqual(2);
  vi.advanceTimersByTime(899_999);
  expect(wake).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000 + 3_750);
  expect(wake).toHaveBeenCalled();
});

test("a retry of later than an hour is left to the looks at intervals, and none wakes after the end", () => {
  const wake = vi.fn<() => void>();
  const retries = createWakeWhenDue(wake);
  retries.note(3_600_001);
  expect(vi.getTimerCount()).toBe(0);
  retries.note(3_600_000);
  retries.stop();
  vi.advanceTimersByTime(7_200_000);
  expect(wake).not.toHaveBeenCalled();
});
