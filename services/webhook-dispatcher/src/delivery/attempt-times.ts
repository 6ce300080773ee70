/** In milliseconds. */
export type AttemptTimes = {
  /** For the look-up of the address, and again for the connection. */
  connectMs: number;
  /** For a whole attempt, from the look-up to the answer. */
  attemptMs: number;
  /** With less than this left of its lease no attempt begins: it could still be under way when the lease ends. */
  leaseMarginMs: number;
  leaseMs: number;
};

/**
 * Whatever the settings: an attempt that has begun, and the record of its result, are over before the lease is, or
 * another process would send the same webhook meanwhile. A lease that is too short for that is lengthened.
 *
 * @param answerMs what an endpoint has for its answer once it has the request (`WEBHOOK_ATTEMPT_TIMEOUT`).
 * @param leaseMs what is asked for (`WEBHOOK_LEASE`).
 */
export function attemptTimes(answerMs: number, leaseMs: number): AttemptTimes {
  const connectMs = Math.min(answerMs, CONNECT_MAX_MS);
  const attemptMs = answerMs + 1.5 * connectMs;
  const leaseMarginMs = attemptMs + connectMs;
  return { connectMs, attemptMs, leaseMarginMs, leaseMs: Math.max(leaseMs, 2 * leaseMarginMs) };
}

const CONNECT_MAX_MS = 2_000;
