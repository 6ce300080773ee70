import { pause, type Logger } from "@holdfast/service-runtime";

/** Work under a lease that an operator's command begins, and that may outlast the command's deadline. */
export type BeyondDeadline = {
  /**
   * Waits for the work until the command's deadline.
   * @returns its result; undefined if it is still running, or has failed, which is logged. Recovery continues
   * it when its lease ends.
   */
  wait<Result>(work: Promise<Result>, command: { deadlineAt: number }): Promise<Result | undefined>;
  /** Waits for running work, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

export function createBeyondDeadline({ now, log }: { now: () => number; log: Logger }): BeyondDeadline {
  const underWay = new Set<Promise<unknown>>();
  return {
    async wait(work, { deadlineAt }) {
      const ended = new AbortController();
      const done = work
        .catch((error: unknown) => {
          log.error(
            { error },
            "a decision about a refund could not be carried out; recovery goes on with it",
          );
          return undefined;
        })
        .finally(() => {
          underWay.delete(done);
          ended.abort();
        });
      underWay.add(done);
      const late = pause(Math.max(0, deadlineAt - now()), ended.signal).then(() => undefined);
      return await Promise.race([done, late.then(() => (ended.signal.aborted ? done : undefined))]);
    },
    async stop(timeoutMs) {
      const ended = (async () => {
        while (underWay.size > 0) await Promise.all(underWay);
      })();
      await Promise.race([ended, pause(timeoutMs)]);
    },
  };
}
