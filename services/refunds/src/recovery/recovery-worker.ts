import type { Logger } from "@holdfast/service-runtime";
import { annotate, inLinkedSpan, SETTLED_OUTCOME } from "@holdfast/telemetry";
import type { CarryOutDeps } from "../refund/carry-out-refund.ts";
import { leaseDue } from "../refund/refund-queries.ts";
import { recoverRefund } from "./recover-refund.ts";

/**
 * One round: leases the refunds that are due and works on them side by side. One whose attempt fails keeps its lease until
 * that ends, so that no refund is retried in a tight loop.
 *
 * @returns how many were due.
 */
export async function recoverDue(deps: CarryOutDeps & { log: Logger }): Promise<number> {
  const due = await leaseDue(deps.db, { leaseMs: deps.leaseMs, limit: ROUND_MAX });
  await Promise.all(
    due.map(async (refund) => {
      try {
        await inLinkedSpan("recover refund", refund.traceparent, async (span) => {
          // An attempt that ends without an answer overwrites this; both traces are worth keeping.
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

/** Refunds leased in one round, and so the most acquirer calls that recovery makes side by side. */
const ROUND_MAX = 32;
