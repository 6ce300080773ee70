/** The wait after an attempt at `ageMs`: until the schedule's next step, then for its present age, up to an hour. */
export function nextAttemptInMs(ageMs: number, { scheduleMs }: { scheduleMs: readonly number[] }): number {
  const next = scheduleMs.find((step) => step > ageMs);
  return next === undefined ? Math.min(ageMs, LONGEST_WAIT_MS) : next - ageMs;
}

const LONGEST_WAIT_MS = 3_600_000;
