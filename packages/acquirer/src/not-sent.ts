import type { NotSent } from "./acquirer.ts";

/** Why nothing was sent, and when the acquirer takes the call, if that is known. */
export type Hindrance = { cause: string; notBefore?: Date };

/** What a call that was not sent says about the next attempt. */
export function hindranceOf({ reason, notBefore }: NotSent): Hindrance {
  return { cause: reason ?? "acquirer_unavailable", ...(notBefore && { notBefore }) };
}

/**
 * How long to wait: the schedule's step, or until the acquirer takes the call where that is later. A day is the longest time
 * that it can be sure of, so that a time that is wrong costs no more.
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
