import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a request's expiry and the simulator's lateness have passed; rejects when the simulator stops. */
export function untilLate(
  { latenessMs, stopping }: { latenessMs: number; stopping: AbortSignal },
  expiresAtMs: number,
): Promise<void> {
  return sleep(Math.max(0, expiresAtMs + latenessMs - Date.now()), undefined, { signal: stopping });
}
