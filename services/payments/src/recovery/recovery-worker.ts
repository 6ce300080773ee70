import { inLinkedSpan } from "@holdfast/telemetry";
import {
  startWorkPool,
  type Logger,
  type PeriodicTask,
  type WorkPoolOptions,
} from "@holdfast/service-runtime";
import { leaseUnsettled, type LeasedPayment } from "../payment/payment-lease.ts";
import { recoverPayment, wait, type RecoverDeps } from "./recover-payment.ts";

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
    work: (payment) => inLinkedSpan("recover payment", payment.traceparent, () => attempt(deps, payment)),
    ...(clock && { clock }),
    log: deps.log,
  });
}

/** An attempt that throws is an attempt: it is counted, operators see it, and the next one is further away. */
async function attempt(deps: RecoveryWorkerDeps, payment: LeasedPayment): Promise<void> {
  try {
    await recoverPayment(deps, payment);
  } catch (error) {
    deps.log.error({ paymentId: payment.payment_id, error }, "a recovery attempt failed");
    await wait(deps, payment, { cause: "attempt_failed" });
  }
}
