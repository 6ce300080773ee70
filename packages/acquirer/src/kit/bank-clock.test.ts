import { expect, test } from "vitest";
import { probedAt } from "./bank-clock.ts";

const NOW = new Date("2026-11-30T20:40:00Z");

test.each([
  ["in one form", "2026-11-30T23:40:00.123", "Europe/Istanbul"],
  ["in the other form", "20261130 23:40:00", "Europe/Istanbul"],
  ["five minutes ahead", "2026-11-30T23:45:00", "Europe/Istanbul"],
  ["of another zone that is as late", "2026-11-30T23:40:00", "Asia/Riyadh"],
  ["that is none", "yesterday", "Europe/Istanbul"],
  ["of no month", "2026-13-30T23:40:00", "Europe/Istanbul"],
  ["that is absent", "", "Europe/Istanbul"],
])("a bank's time %s is no fault", (_, told, zone) => {
  expect(probedAt(told, zone, NOW)).toEqual({ kind: "ok" });
});

test.each([
  ["2026-11-30T23:45:01", "Europe/Istanbul", "2026-11-30T23:40:00"],
  ["20261130 22:40:00", "Europe/Istanbul", "2026-11-30T23:40:00"],
  ["2026-11-30T23:40:00", "UTC", "2026-11-30T20:40:00"],
  ["2026-11-30T23:40:00", "Asia/Kathmandu", "2026-12-01T02:25:00"],
])("the bank's %s at an account in %s is an error with both times", (told, zone, ours) => {
  const outcome = probedAt(told, zone, NOW);
  expect(outcome).toMatchObject({ kind: "clock", detail: expect.stringContaining(ours) as string });
  expect(outcome).toMatchObject({ detail: expect.stringContaining(zone) as string });
});

test("an hour that comes twice is the bank's hour both times", () => {
  for (const now of ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"])
    expect(probedAt("2026-10-25T02:30:00", "Europe/Belgrade", new Date(now))).toEqual({ kind: "ok" });
});
