import { setTimeout as delay } from "node:timers/promises";

/**
 * True if `work` resolves within `timeoutMs`; the timer does not outlive it. If that time is already over, as
 * in a process that was stopped, it says whether `work` has resolved.
 */
export async function within(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  const late = delay(Math.max(0, timeoutMs), false, { signal: ended.signal });
  // The abort rejects it when its result is not needed any more.
  late.catch(() => {});
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    ended.abort();
  }
}
