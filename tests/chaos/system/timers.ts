/** Durations as the services read them, in the order of product.md, section 2: bank < handler < edge < lease. */
export type Timers = {
  ACQUIRER_TIMEOUT: string;
  HANDLER_TIMEOUT: string;
  REQUEST_TIMEOUT: string;
  LEASE_DURATION: string;
  RECOVERY_INTERVAL: string;
  RECOVERY_SCHEDULE: string;
  REVERSE_UNSEEN_AFTER: string;
  ACQUIRER_LATE_ARRIVAL: string;
  ADOPT_WITHIN: string;
  THREE_DS_SESSION_DURATION: string;
  CHECKOUT_EXPIRES_AFTER: string;
  CHECKOUT_INTERVAL: string;
  PAYMENTS_TIMEOUT: string;
  OUTBOX_REPUBLISH_AFTER: string;
  OUTBOX_POLL_INTERVAL: string;
  OUTBOX_RECONCILE_INTERVAL: string;
  WEBHOOK_RETRY_SCHEDULE: string;
  WEBHOOK_ATTEMPT_TIMEOUT: string;
  WEBHOOK_CLAIM_INTERVAL: string;
  WEBHOOK_LEASE: string;
  WEBHOOK_REAP_INTERVAL: string;
  /** A second where it is not set. */
  DATABASE_CONNECTION_TIMEOUT?: string;
  /** Days where it is not set. */
  AUTHORIZATION_EXPIRES_AFTER?: string;
  EXPIRY_INTERVAL?: string;
};

/**
 * Delivery timers for tests and load: minutes of an outage are not waited for, and a lease still outlives an
 * attempt.
 */
const deliveryTimers = {
  PAYMENTS_TIMEOUT: "1500ms",
  OUTBOX_REPUBLISH_AFTER: "1s",
  OUTBOX_POLL_INTERVAL: "5s",
  OUTBOX_RECONCILE_INTERVAL: "5s",
  WEBHOOK_RETRY_SCHEDULE: "500ms,1s,2s,3s",
  WEBHOOK_ATTEMPT_TIMEOUT: "1s",
  WEBHOOK_CLAIM_INTERVAL: "2s",
  WEBHOOK_LEASE: "7s",
  WEBHOOK_REAP_INTERVAL: "500ms",
};

/** `WEBHOOK_RETRY_SCHEDULE` and `WEBHOOK_ATTEMPT_TIMEOUT` above, for the checker. */
export const deliveryRules = { retryDelaysMs: [500, 1_000, 2_000, 3_000], attemptMaxMs: 2_500 };

/**
 * Several times faster than in production: the same order, and recovery within seconds. A request's waits are long
 * enough for a process that has just started beside others.
 */
export const fastTimers: Timers = {
  ...deliveryTimers,
  ACQUIRER_TIMEOUT: "800ms",
  HANDLER_TIMEOUT: "3000ms",
  REQUEST_TIMEOUT: "4000ms",
  LEASE_DURATION: "5s",
  DATABASE_CONNECTION_TIMEOUT: "2500ms",
  RECOVERY_INTERVAL: "100ms",
  // Even steps: beyond the last one the pauses double, which a test of ten refusals could not wait for.
  RECOVERY_SCHEDULE: evenSteps(250, 60_000),
  REVERSE_UNSEEN_AFTER: "1500ms",
  // For a bank that binds no reference (SIMULATOR_BINDS_UNSEEN=false): longer than the latest arrival of a
  // call.
  ACQUIRER_LATE_ARRIVAL: "5s",
  ADOPT_WITHIN: "30s",
  THREE_DS_SESSION_DURATION: "5s",
  CHECKOUT_EXPIRES_AFTER: "2500ms",
  CHECKOUT_INTERVAL: "100ms",
};

/** The timers for a run under load on two busy cores. */
export const loadTimers: Timers = {
  ...deliveryTimers,
  ACQUIRER_TIMEOUT: "1500ms",
  HANDLER_TIMEOUT: "2500ms",
  REQUEST_TIMEOUT: "3000ms",
  LEASE_DURATION: "4500ms",
  RECOVERY_INTERVAL: "250ms",
  RECOVERY_SCHEDULE: evenSteps(750, 180_000),
  REVERSE_UNSEEN_AFTER: "4s",
  ACQUIRER_LATE_ARRIVAL: "10s",
  ADOPT_WITHIN: "8s",
  // Long enough for a cardholder who is delayed by faults, short enough for some to be late.
  THREE_DS_SESSION_DURATION: "10s",
  // Short enough for buyers to find their form out of time, and for all of them to be over before the run is.
  CHECKOUT_EXPIRES_AFTER: "12s",
  CHECKOUT_INTERVAL: "500ms",
};

/** For a bank that binds nothing or carries out repeats: longer than a frozen bank keeps a request. */
export const unkindBankTimers = { ACQUIRER_LATE_ARRIVAL: "22s" };

/**
 * For long runs with several banks: after an outage of minutes a refund must not wait for further minutes.
 */
export const manyBanksTimers = { RECOVERY_SCHEDULE: evenSteps(1_500, 1_800_000) };

/** For a run in which authorizations expire before its end; merchants capture within seconds. */
export const expiryTimers = { AUTHORIZATION_EXPIRES_AFTER: "30s", EXPIRY_INTERVAL: "500ms" };

/** `expiryTimers` for the checker. */
export const expiryRules = { authorizationExpiresAfterMs: 30_000 };

function evenSteps(stepMs: number, untilMs: number): string {
  return Array.from({ length: untilMs / stepMs }, (_, index) => `${(index + 1) * stepMs}ms`).join(",");
}
