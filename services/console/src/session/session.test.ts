import { expect, test } from "vitest";
import { hasJustBegun, mayDecide, stateOfSession, type Session } from "./session.ts";

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 23, 12, minutes));
const session = { seenAt: at(0), accessEndsAt: at(50), endsAt: at(55) };
const stateAt = (minutes: number, change: Partial<typeof session> = {}) =>
  stateOfSession({ ...session, ...change }, { now: at(minutes), idleMs: 30 * 60_000 });

test.each([
  ["used a moment ago", 29, {}, "active"],
  ["left for the idle time", 30, {}, "idle"],
  ["left for longer than both times", 60, {}, "idle"],
  ["used until its token ends", 50, { seenAt: at(45) }, "ended"],
  ["used until its absolute end", 56, { seenAt: at(50), accessEndsAt: at(90) }, "ended"],
] as const)("a session that was %s", (_what, minutes, change, state) => {
  expect(stateAt(minutes, change)).toBe(state);
});

test("a decision needs a proof of identity of the last minutes", () => {
  const proven = { authenticatedAt: at(0) } as Session;
  expect(mayDecide(proven, at(14), 15 * 60_000)).toBe(true);
  expect(mayDecide(proven, at(15), 15 * 60_000)).toBe(false);
});

test("a sign-in has just begun for a minute", () => {
  const begun = { beganAt: at(0) };
  expect(hasJustBegun(begun, new Date(at(1).getTime() - 1))).toBe(true);
  expect(hasJustBegun(begun, at(1))).toBe(false);
});
