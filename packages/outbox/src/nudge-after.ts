import type { OutboxRelay } from "./relay.ts";

/**
 * Does `work` and then nudges, so that a committed event is published immediately, and not when the relay looks next.
 */
export function nudgeAfter<Args extends unknown[], Result>(
  relay: OutboxRelay,
  work: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    const result = work(...args);
    void Promise.resolve(result).then(
      () => relay.nudge(),
      () => {},
    );
    return result;
  };
}
