/** The bounds of an attempt, in milliseconds. */
export type AttemptTimes = {
  /** The limit of the look-up of the address, and again of the connection. */
  connectMs: number;
  /** The limit of a whole attempt, from the look-up to the answer. */
  attemptMs: number;
  /**
   * An attempt does not begin with less than this left of its lease: it could still be under way when the lease ends.
   */
  leaseMarginMs: number;
  leaseMs: number;
};

/**
 * Fits an attempt and the record of its result into the lease, whatever the settings: otherwise another
 * process would send the same webhook meanwhile. A lease that is too short is lengthened.
 *
 * @param answerMs the time for an endpoint's answer once it has the request (`WEBHOOK_ATTEMPT_TIMEOUT`).
 * @param leaseMs the lease of the settings (`WEBHOOK_LEASE`).
 * @param connectMaxMs the longest time for connecting, however long an answer may take.
 */
export function attemptTimes(
  answerMs: number,
  leaseMs: number,
  connectMaxMs: number = CONNECT_MAX_MS,
): AttemptTimes {
  const connectMs = Math.min(answerMs, connectMaxMs);
  const attemptMs = answerMs + 1.5 * connectMs;
  const leaseMarginMs = attemptMs + connectMs;
  return { connectMs, attemptMs, leaseMarginMs, leaseMs: Math.max(leaseMs, 2 * leaseMarginMs) };
}

const CONNECT_MAX_MS = 2_000;
