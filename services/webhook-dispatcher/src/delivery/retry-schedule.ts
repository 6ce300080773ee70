/** When a delivery is attempted (spec, Retry policy). Pure: time and chance are arguments. */
export type RetryRules = {
  /** What passes between the end of a failed attempt and the next one; the last one again and again. */
  delaysMs: readonly number[];
};

export type NextStep = { kind: "retry"; dueAt: Date } | { kind: "failed" };

/**
 * After a failed attempt: when the next one is due, or that there is none, because it would start after the deadline.
 * The delays are lower bounds; the jitter only adds to them, so that what failed together does not come back together.
 *
 * @param attempt number of the one that failed, from 1.
 * @param random 0 to 1.
 */
export function afterFailure(
  { attempt, endedAt, deadlineAt }: { attempt: number; endedAt: Date; deadlineAt: Date },
  { delaysMs }: RetryRules,
  random: number,
): NextStep {
  const delayMs = delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0;
  const dueAt = new Date(Math.ceil(endedAt.getTime() + delayMs * (1 + JITTER_MAX * random)));
  return dueAt > deadlineAt ? { kind: "failed" } : { kind: "retry", dueAt };
}

const JITTER_MAX = 0.05;

/** Whether an attempt may start: the first one always, however late we are; a further one only before the deadline. */
export function mayStart(attempt: number, startsAt: Date, deadlineAt: Date): boolean {
  return attempt === 1 || startsAt <= deadlineAt;
}
