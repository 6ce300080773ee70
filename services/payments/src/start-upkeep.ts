/** Background work that finishes earlier work, with workers of its own for each account. */
import { startWorkPools, type WorkPools, type WorkPoolsOptions } from "@holdfast/service-runtime";
import type { Upkeep } from "./bank/calls/account-connections.ts";
import type { Config } from "./config.ts";
import { expiredDueInMs, expirePayment, takeExpired } from "./follow-up/operation/expire-payments.ts";
import { startRecovery, type RecoveryWorkerDeps } from "./unknown/recovery/recovery-worker.ts";
import { startWatching } from "./unknown/recovery/watch-payment.ts";

/**
 * @returns recovery, whose nudge says that something may be undecided, and everything that has to be stopped.
 */
export function startUpkeep(
  deps: RecoveryWorkerDeps,
  {
    config,
    upkeep: { keys, inFlightMax },
    ...running
  }: { config: Config; upkeep: Upkeep } & Required<Pick<WorkPoolsOptions<never, never>, "clock" | "log">>,
): { recovery: WorkPools; tasks: WorkPools[] } {
  const {
    db,
    limits: { leaseMs },
  } = deps;
  const recovery = startRecovery(deps, {
    keys,
    inFlightMax: inFlightMax(config.RECOVERY_IN_FLIGHT_MAX),
    intervalMs: config.RECOVERY_INTERVAL,
    ...running,
  });
  const tasks = [
    recovery,
    startWorkPools("expiry", {
      keys,
      inFlightMax: inFlightMax(config.EXPIRY_IN_FLIGHT_MAX),
      intervalMs: config.EXPIRY_INTERVAL,
      dueInMs: () => expiredDueInMs(db),
      lease: (accountId, limit) => takeExpired(db, { limit, leaseMs, accountId }),
      // The bank's answer may be unknown.
      work: (payment) => expirePayment(deps, payment).finally(() => recovery.nudge()),
      ...running,
    }),
    startWatching(deps, {
      keys,
      inFlightMax: inFlightMax(WATCH_IN_FLIGHT_MAX),
      intervalMs: config.WATCH_INTERVAL,
      ...running,
    }),
  ];
  return { recovery, tasks };
}

const WATCH_IN_FLIGHT_MAX = 16;
