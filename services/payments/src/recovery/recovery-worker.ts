import { inLinkedSpan } from "@holdfast/telemetry";
import {
  startWorkPool,
  type Logger,
  type PeriodicTask,
  type WorkPoolOptions,
} from "@holdfast/service-runtime";
import { leaseUnsettled } from "../payment/payment-lease.ts";
import { attemptRecovery, type RecoverDeps } from "./recover-payment.ts";

export type RecoveryWorkerDeps = RecoverDeps & { leaseMs: number; log: Logger };

/**
 * Settles the payments of unknown outcome that are due, those that wait longest first, side by side and without rounds: an
 * inquiry that hangs holds one place, and the others are asked about in time to be adopted.
 */
export function startRecovery(
  deps: RecoveryWorkerDeps,
  { inFlightMax, intervalMs, clock }: Pick<WorkPoolOptions<never>, "inFlightMax" | "intervalMs" | "clock">,
): PeriodicTask {
  return startWorkPool("recovery", {
    inFlightMax,
    intervalMs,
    lease: (limit) => leaseUnsettled(deps.db, { leaseMs: deps.leaseMs, limit }),
    work: (payment) =>
      inLinkedSpan("recover payment", payment.traceparent, () => attemptRecovery(deps, payment)),
    ...(clock && { clock }),
    log: deps.log,
  });
}
