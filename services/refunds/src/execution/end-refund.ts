import { failpoint } from "@holdfast/service-runtime";
import { changeRefund } from "../refund/change-refund.ts";
import type { FinalRefundState } from "../refund/refund.ts";
import type { LeasedRefund } from "../refund/refund-queries.ts";
import { tryLater, type ExecuteDeps } from "./execute-refund.ts";

/** States in which a refund's end is decided, and the end each leads to. */
export const ENDS = {
  SETTLING: "SUCCESS",
  FAILING: "FAILED",
  REJECTING: "REJECTED",
} as const satisfies Record<string, FinalRefundState>;
export type EndingState = keyof typeof ENDS;

/**
 * Tells `payments` of an end that is committed, and only when that is acknowledged shows it: a merchant who sees FAILED
 * can ask for the same amount again at once. Idempotent on both sides; repeated until acknowledged.
 */
export async function endRefund(
  deps: ExecuteDeps,
  refund: LeasedRefund & { state: EndingState },
): Promise<void> {
  const to = ENDS[refund.state];
  const reply = to === "SUCCESS" ? await deps.payments.settle(refund) : await deps.payments.release(refund);
  await failpoint("refunds.after_payments_told");
  if (reply.outcome !== "done") {
    await tryLater(
      deps,
      refund,
      reply.outcome === "problem" ? `payments_${reply.code}` : `payments_${reply.outcome}`,
    );
    return;
  }
  const ended = await deps.db
    .transaction()
    .execute((trx) => changeRefund(trx, refund, { to, cause: "acknowledged", leaseMs: deps.leaseMs }));
  await failpoint("refunds.after_end");
  if (ended) deps.events.ended(ended);
  else deps.events.lost(refund);
}
