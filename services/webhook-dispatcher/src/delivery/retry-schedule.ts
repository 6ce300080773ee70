import type { Trigger } from "../database.ts";

/** Times of a delivery's attempts (spec, Retry policy). The functions are pure: time and randomness are arguments. */
export type RetryRules = {
  /** The delays between the end of a failed attempt and the next one; the last delay repeats. */
  delaysMs: readonly number[];
};

export type NextStep = { kind: "retry"; dueAt: Date } | { kind: "failed" };

/**
 * Decides when the next attempt is due after a failed one, or that there is none, because it would start
 * after the deadline. The delays are lower bounds. The jitter only adds to them, so that deliveries that
 * failed together are not retried together.
 *
 * @param attempt the failed attempt's number, from 1.
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

/**
 * True if an attempt may start. The schedule's first attempt always may, however late; a later one, or a
 * resend, may not after the deadline.
 */
export function mayStart(
  { trigger, attempt, deadlineAt }: { trigger: Trigger; attempt: number; deadlineAt: Date },
  startsAt: Date,
): boolean {
  return (trigger === "schedule" && attempt === 1) || startsAt <= deadlineAt;
}
