import type { NotSent } from "./acquirer.ts";

/** The reason why nothing was sent, and when the acquirer takes the call, if that is known. */
export type RetryHint = { cause: string; notBefore?: Date };

/** The reason that a call was not sent, for the next attempt. */
export function retryHintOf({ reason, notBefore }: NotSent): RetryHint {
  return { cause: reason ?? "acquirer_unavailable", ...(notBefore && { notBefore }) };
}

/**
 * The time to wait: the schedule's step, or longer if the acquirer accepts the call only later. It is bounded
 * by the longest day, so that a wrong time costs no more.
 * @param now epoch milliseconds.
 */
export function waitFor(
  notBefore: Date | undefined,
  { stepMs, now }: { stepMs: number; now: number },
): number {
  if (notBefore === undefined) return stepMs;
  return Math.max(stepMs, Math.min(notBefore.getTime() - now, LONGEST_WAIT_MS));
}

/** A day on which the clocks are put back, and an hour. */
const LONGEST_WAIT_MS = 26 * 3_600_000;
