/** Judges by the calls to an account's bank whether it can be reached. One for each account and process. */
export type Breaker = {
  /**
   * True if routing passes the account over. While the circuit breaker is open, one payment in each `retryMs`
   * is let through as a trial.
   */
  isOpen(): boolean;
  /** @param isConnected false if no connection was made; any answer at all, also an unknown outcome, is a connection. */
  record(isConnected: boolean): void;
};

/** Opens after `failuresMax` calls in a row that found no connection, and closes with the first that does. */
export function createBreaker({
  failuresMax = 5,
  retryMs = 5_000,
  now = () => performance.now(),
}: { failuresMax?: number; retryMs?: number; now?: () => number } = {}): Breaker {
  let failures = 0;
  let retryAt = 0;
  return {
    isOpen() {
      if (failures < failuresMax) return false;
      if (now() < retryAt) return true;
      retryAt = now() + retryMs;
      return false;
    },
    record(isConnected) {
      if (isConnected) {
        failures = 0;
        return;
      }
      failures++;
      if (failures === failuresMax) retryAt = now() + retryMs;
    },
  };
}
