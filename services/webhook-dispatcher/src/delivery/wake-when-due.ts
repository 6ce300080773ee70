export type WakeWhenDue = {
  /** Takes note of a retry that this process has recorded. @param dueInMs milliseconds from now */
  note(dueInMs: number): void;
  stop(): void;
};

/**
 * Calls `wake` when a retry is due that this process has recorded itself, so that no loop has to look for it all the
 * time. Retries that are due together share a timer, and those later than two minutes are left to the looks at
 * intervals, beside whose wait theirs is long: however many endpoints fail, there are 480 timers at most.
 */
export function createWakeWhenDue(wake: () => void): WakeWhenDue {
  const timers = new Map<number, NodeJS.Timeout>();
  return {
    note(dueInMs) {
      if (dueInMs > NOTED_MAX_MS) return;
      // Rounded upwards, so that it is due by then.
      const share = Math.ceil((performance.now() + Math.max(0, dueInMs)) / SHARED_MS);
      if (timers.has(share)) return;
      const timer = setTimeout(
        () => {
          timers.delete(share);
          wake();
        },
        share * SHARED_MS - performance.now(),
      );
      timers.set(share, timer);
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

const NOTED_MAX_MS = 120_000;
const SHARED_MS = 250;
