/**
 * The two clocks. Leases, schedules and expiry follow the database's clock; this process's own clock is used
 * only for `x-request-time`, which merchants see. `shiftMs` is added to both. It is 0, except in tests that
 * let 48 hours pass in a moment.
 */
export type Clock = {
  /** The time of this machine, in epoch milliseconds. */
  now(): number;
  /** The time of the database, as last measured, in epoch milliseconds. */
  databaseNow(): number;
  readonly shiftMs: number;
  /** The lead of the database's clock over this machine's, as last measured. */
  readonly skewMs: number;
  measured(skewMs: number): void;
};

export function createClock(shift: () => number = () => 0, machineNow: () => number = Date.now): Clock {
  let skewMs = 0;
  return {
    now: () => machineNow() + shift(),
    databaseNow: () => machineNow() + skewMs + shift(),
    get shiftMs() {
      return shift();
    },
    get skewMs() {
      return skewMs;
    },
    measured(ms) {
      skewMs = Math.round(ms);
    },
  };
}

/** The error of the clock from which on nothing is sent: receivers would reject every signature as too old. */
export const SKEW_STOP_MS = 60_000;
