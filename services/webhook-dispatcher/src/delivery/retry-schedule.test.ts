import { assert, double, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { afterFailure, mayStart } from "./retry-schedule.ts";

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const TABLE = [30 * S, M, 5 * M, 15 * M, H, 4 * H, 12 * H, 24 * H];
const occurredAt = new Date("2026-11-20T12:00:00Z");

/** Every attempt of an endpoint that always fails after `attemptMs`, as milliseconds since the event. */
function attemptsOfTheDead(random: number, attemptMs = 0, delaysMs = TABLE, windowMs = 48 * H): number[] {
  const deadlineAt = new Date(occurredAt.getTime() + windowMs);
  const starts: number[] = [];
  let at = occurredAt;
  for (let attempt = 1; ; attempt++) {
    starts.push(at.getTime() - occurredAt.getTime());
    const endedAt = new Date(at.getTime() + attemptMs);
    const next = afterFailure({ attempt, endedAt, deadlineAt }, { delaysMs }, random);
    if (next.kind === "failed") return starts;
    at = next.dueAt;
  }
}

test("48 hours of failure are exactly nine attempts, at the spec's times", () => {
  const times = [0, 30 * S, 90 * S, 390 * S, 1_290 * S, 4_890 * S, 19_290 * S, 62_490 * S, 148_890 * S];
  expect(attemptsOfTheDead(0)).toEqual(times);
});

test("with any jitter and any duration of an attempt they are nine, never early, at most 5 % late", () => {
  assert(
    property(
      double({ min: 0, max: 1, noNaN: true }),
      integer({ min: 0, max: 8_000 }),
      (random, attemptMs) => {
        const starts = attemptsOfTheDead(random, attemptMs);
        expect(starts).toHaveLength(9);
        for (const [index, delayMs] of TABLE.entries()) {
          const gap = starts[index + 1]! - starts[index]! - attemptMs;
          expect(gap).toBeGreaterThanOrEqual(delayMs);
          expect(gap).toBeLessThanOrEqual(delayMs * 1.05 + 1);
        }
      },
    ),
  );
});

test("the last delay repeats until the window is over", () => {
  expect(attemptsOfTheDead(0, 0, [S, 2 * S], 10 * S)).toEqual([0, S, 3 * S, 5 * S, 7 * S, 9 * S]);
});

test("an attempt may start at the deadline itself and not a millisecond later", () => {
  const deadlineAt = new Date(occurredAt.getTime() + 10 * S);
  const rules = { delaysMs: [10 * S] };
  expect(afterFailure({ attempt: 1, endedAt: occurredAt, deadlineAt }, rules, 0)).toEqual({
    kind: "retry",
    dueAt: deadlineAt,
  });
  const later = new Date(occurredAt.getTime() + 1);
  expect(afterFailure({ attempt: 1, endedAt: later, deadlineAt }, rules, 0)).toEqual({ kind: "failed" });
});

test("the first attempt is made however late; the second is not, nor is one beside the schedule", () => {
  const deadlineAt = new Date(occurredAt.getTime() + 48 * H);
  const late = new Date(occurredAt.getTime() + 50 * H);
  const first = { trigger: "schedule", attempt: 1, deadlineAt } as const;
  expect(mayStart(first, late)).toBe(true);
  for (const later of [{ ...first, attempt: 2 }, { ...first, trigger: "manual" } as const]) {
    expect(mayStart(later, late)).toBe(false);
    expect(mayStart(later, deadlineAt)).toBe(true);
  }
});
