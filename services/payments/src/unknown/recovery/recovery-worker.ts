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
 * Settles the due payments of unknown outcome, longest-waiting first, side by side and without rounds. An
 * inquiry that hangs uses one permit of its account, and the other payments are still asked about in time to
 * be adopted. Code that leaves a payment undecided nudges this worker.
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
