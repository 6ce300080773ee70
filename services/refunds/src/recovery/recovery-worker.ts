import type { Logger } from "@holdfast/service-runtime";
import { annotate, inLinkedSpan, SETTLED_OUTCOME } from "@holdfast/telemetry";
import type { CarryOutDeps } from "../refund/carry-out-refund.ts";
import { leaseDue } from "../refund/refund-queries.ts";
import { recoverRefund } from "./recover-refund.ts";

/**
 * One round: leases what is due and works on it side by side. What fails keeps its lease until that ends, so that
 * nothing is hammered.
 *
 * @returns how many were looked at.
 */
export async function recoverDue(deps: CarryOutDeps & { log: Logger }): Promise<number> {
  const due = await leaseDue(deps.db, { leaseMs: deps.leaseMs, limit: ROUND_MAX });
  await Promise.all(
    due.map(async (refund) => {
      try {
        await inLinkedSpan("recover refund", refund.traceparent, async (span) => {
          // Unless it turns out to wait on; either is worth keeping.
          annotate({ "holdfast.outcome": SETTLED_OUTCOME }, span);
          await recoverRefund(deps, refund);
        });
      } catch (error) {
        deps.log.error({ refundId: refund.refund_id, error }, "a recovery attempt failed");
      }
    }),
  );
  return due.length;
}

/** Refunds leased in one round, and thus acquirer calls of recovery at once. */
const ROUND_MAX = 32;
