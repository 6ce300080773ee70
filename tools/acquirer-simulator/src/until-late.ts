import { setTimeout as sleep } from "node:timers/promises";

type Lateness = { latenessMs: number; lateAfterMs: number; stopping: AbortSignal };

/**
 * Waits until a request's time and the simulator's lateness have passed; rejects when the simulator stops. The time of a
 * request without an expiry is `lateAfterMs` after its arrival. Times are epoch milliseconds.
 */
export function untilLate(
  { latenessMs, lateAfterMs, stopping }: Lateness,
  expiresAtMs: number | undefined,
  arrivedAtMs: number,
): Promise<void> {
  const lateAtMs = (expiresAtMs ?? arrivedAtMs + lateAfterMs) + latenessMs;
  return sleep(Math.max(0, lateAtMs - Date.now()), undefined, { signal: stopping });
}
