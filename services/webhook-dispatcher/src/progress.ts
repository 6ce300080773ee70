/**
 * Reports whether the process's loops are running. A liveness check that only looks for an answer would keep
 * a process with a stuck worker. A round that failed because a dependency is down counts as progress, since a
 * restart would not repair it.
 */
export type Progress = {
  mark(loop: string): void;
  /** The loop that has made no round for too long, if there is one. */
  stuck(): string | undefined;
};

export function createProgress(limitMs: number, now: () => number = () => performance.now()): Progress {
  const marks = new Map<string, number>();
  return {
    mark: (loop) => void marks.set(loop, now()),
    stuck: () => [...marks].find(([, at]) => now() - at > limitMs)?.[0],
  };
}
