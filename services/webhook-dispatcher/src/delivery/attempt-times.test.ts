import { expect, test } from "vitest";
import { attemptTimes } from "./attempt-times.ts";

test("by default an attempt has 8 s, begins with 10 s of its lease left at least, and a lease has 30 s", () => {
  expect(attemptTimes(5_000, 30_000)).toEqual({
    connectMs: 2_000,
    attemptMs: 8_000,
    leaseMarginMs: 10_000,
    leaseMs: 30_000,
  });
});

test.each([
  [1, 1],
  [500, 1_500],
  [1_000, 3_000],
  [5_000, 15_000],
  [60_000, 1_000],
])(
  "with %i ms for an answer and a lease of %i ms an attempt is over before its lease",
  (answerMs, leaseMs) => {
    const times = attemptTimes(answerMs, leaseMs);
    expect(times.leaseMarginMs).toBeGreaterThan(times.attemptMs);
    expect(times.attemptMs).toBeGreaterThanOrEqual(answerMs + times.connectMs);
    // The turn may take as long again.
    expect(times.leaseMs).toBeGreaterThanOrEqual(Math.max(leaseMs, 2 * times.leaseMarginMs));
  },
);
