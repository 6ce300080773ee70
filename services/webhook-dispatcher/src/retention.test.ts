import { expect, test } from "vitest";
import { comparableSince, firstKeptDay, keptUntil } from "./retention.ts";

test.each([
  ["2026-11-22T00:00:00Z", 3, "2026-11-19T00:00:00Z"],
  ["2026-11-22T23:59:59Z", 3, "2026-11-19T00:00:00Z"],
  ["2026-11-22T12:00:00Z", 90, "2026-08-24T00:00:00Z"],
])("at %s with %i days events are kept from %s, and may be compared from a day later", (now, days, first) => {
  expect(new Date(firstKeptDay(Date.parse(now), days))).toEqual(new Date(first));
  const until = keptUntil(Date.parse(first) + 1, days);
  expect(firstKeptDay(until - 1, days)).toBe(Date.parse(first));
  expect(firstKeptDay(until, days)).toBeGreaterThan(Date.parse(first));
  expect(comparableSince(Date.parse(now), days) - Date.parse(first)).toBe(86_400_000);
});
