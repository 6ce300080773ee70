/**
 * Whether the process's loops go round. A liveness check that only asks whether the process answers would keep one
 * whose worker is stuck; a round that failed because a dependency is down counts, since a restart would not mend that.
 */
export type Progress = {
  mark(loop: string): void;
  /** The loop that has not gone round for too long, if there is one. */
  stuck(): string | undefined;
};

export function createProgress(limitMs: number, now: () => number = () => performance.now()): Progress {
  const marks = new Map<string, number>();
  return {
    mark: (loop) => void marks.set(loop, now()),
    stuck: () => [...marks].find(([, at]) => now() - at > limitMs)?.[0],
  };
}
