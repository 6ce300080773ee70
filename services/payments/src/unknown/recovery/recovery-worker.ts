import { inLinkedSpan } from "@holdfast/telemetry";
import { startWorkPools, type WorkPools, type WorkPoolsOptions } from "@holdfast/service-runtime";
import { leaseUnsettled, unsettledDueInMs } from "../../payment/payment-lease.ts";
import { attemptRecovery, type RecoverDeps } from "./recover-payment.ts";

export type RecoveryWorkerDeps = RecoverDeps & { limits: { leaseMs: number } };

/** Work in the background, by account. */
export type UpkeepOptions = Pick<
  WorkPoolsOptions<string, never>,
  "keys" | "inFlightMax" | "intervalMs" | "clock" | "log"
>;

/**
 * Settles the payments of unknown outcome that are due, those that wait longest first, side by side and without rounds: an
 * inquiry that hangs holds one permit of its account's, and the others are asked about in time to be adopted. Whoever
 * leaves a payment undecided nudges.
 */
export function startRecovery(deps: RecoveryWorkerDeps, options: UpkeepOptions): WorkPools {
  return startWorkPools("recovery", {
    ...options,
    dueInMs: () => unsettledDueInMs(deps.db),
    isNudged: true,
    lease: (accountId, limit) => leaseUnsettled(deps.db, { leaseMs: deps.limits.leaseMs, limit, accountId }),
    work: (payment) =>
      inLinkedSpan("recover payment", payment.traceparent, () => attemptRecovery(deps, payment)),
  });
}
