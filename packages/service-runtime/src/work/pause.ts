import { setTimeout as delay } from "node:timers/promises";

/** Waits for `ms`, or until `signal` is aborted. It does not keep a process alive, and leaves nothing with the signal. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, { ref: false, signal }).catch(() => {});
}
