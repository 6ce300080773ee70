import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a caller has given up; rejects when the simulator stops. */
export function afterLateness({
  latenessMs,
  stopping,
}: {
  latenessMs: number;
  stopping: AbortSignal;
}): Promise<void> {
  return sleep(latenessMs, undefined, { signal: stopping });
}
