export type WakeWhenDue = {
  /** Takes note of a retry that this process has recorded. @param dueInMs milliseconds from now */
  note(dueInMs: number): void;
  stop(): void;
};

/**
 * Calls `wake` when a retry is due that this process has recorded itself, so that no loop has to look for it.
 * Retries that are due together share a timer, and later retries share coarser ones: 480 timers for the first
 * two minutes, and half as many for each doubling of that. Retries more than an hour ahead are left to the
 * periodic checks, whose interval is short beside that wait. However many endpoints fail, there are at most 1
 * 680 timers.
 */
export function createWakeWhenDue(wake: () => void): WakeWhenDue {
  const timers = new Map<number, NodeJS.Timeout>();
  return {
    note(dueInMs) {
      if (dueInMs > NOTED_MAX_MS) return;
      const sharedMs = SHARED_MS * 2 ** Math.ceil(Math.log2(Math.max(dueInMs, FINE_MS) / FINE_MS));
      const now = performance.now();
      // Rounded upwards, so that it is due by then.
      const wakeAt = Math.ceil((now + Math.max(0, dueInMs)) / sharedMs) * sharedMs;
      if (timers.has(wakeAt)) return;
      const timer = setTimeout(() => {
        timers.delete(wakeAt);
        wake();
      }, wakeAt - now);
      timers.set(wakeAt, timer);
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

const NOTED_MAX_MS = 3_600_000;
const SHARED_MS = 250;
/** Retries up to here wake within {@link SHARED_MS}, and later ones within a 240th of their wait. */
const FINE_MS = 120_000;
