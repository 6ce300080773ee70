import type { Logger } from "@holdfast/service-runtime";
import { inLinkedSpan } from "@holdfast/telemetry";
import { recoverPayment, type RecoverDeps, type RecoveryResult } from "./recover-payment.ts";
import { leaseUnsettled } from "../payment/payment-lease.ts";

export type RecoveryWorkerDeps = RecoverDeps & { leaseMs: number; log: Logger };

/**
 * One round: leases the payments that are due and settles them side by side. One whose attempt fails keeps its lease until
 * that ends, so that no payment is retried in a tight loop.
 *
 * @returns how each payment's attempt ended.
 */
export async function recoverDue(deps: RecoveryWorkerDeps): Promise<(RecoveryResult | "failed")[]> {
  const due = await leaseUnsettled(deps.db, { leaseMs: deps.leaseMs, limit: ROUND_MAX });
  return await Promise.all(
    due.map(async (payment) => {
      try {
        return await inLinkedSpan("recover payment", payment.traceparent, () =>
          recoverPayment(deps, payment),
        );
      } catch (error) {
        deps.log.error({ paymentId: payment.payment_id, error }, "a recovery attempt failed");
        return "failed";
      }
    }),
  );
}

/** Payments leased in one round, and so the most acquirer calls that recovery makes side by side. */
const ROUND_MAX = 32;
