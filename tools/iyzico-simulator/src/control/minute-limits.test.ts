import { expect, test } from "vitest";

import { MinuteLimits } from "./minute-limits.ts";

test("a limit is of one merchant, one kind of call and the last minute", () => {
  const limits = new MinuteLimits();
  expect(limits.admit("1", "payments", 1, 0)).toBe(true);
  expect(limits.admit("1", "payments", 1, 59_999)).toBe(false);
  expect(limits.admit("2", "payments", 1, 0)).toBe(true);
  expect(limits.admit("1", "refunds", 1, 0)).toBe(true);
  expect(limits.admit("1", "payments", 1, 60_000)).toBe(true);
});

test("a call that was not admitted does not count", () => {
  const limits = new MinuteLimits();
  limits.admit("1", "payments", 1, 0);
  limits.admit("1", "payments", 1, 30_000);
  expect(limits.admit("1", "payments", 1, 60_000)).toBe(true);
});
