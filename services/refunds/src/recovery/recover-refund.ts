import { forgetKey } from "@holdfast/idempotency";
import { failpoint } from "@holdfast/service-runtime";
import { carryOutRefund, tryLater, type CarryOutDeps } from "../refund/carry-out-refund.ts";
import type { LeasedRefund } from "../refund/refund-queries.ts";
import { dropRefund } from "../request/drop-refund.ts";

/** Finishes a refund after a crash or an outage: a request that was never shown is undone, a decision is carried out. */
export async function recoverRefund(deps: CarryOutDeps, refund: LeasedRefund): Promise<void> {
  if (refund.state === "RESERVING") await undoRequest(deps, refund);
  else await carryOutRefund(deps, refund, { resumed: true });
}

/**
 * Has `payments` release a possible reservation, which leaves a tombstone there: a reservation that is still on its way
 * then reserves nothing. Only when that is acknowledged the row and its key are deleted.
 */
async function undoRequest(deps: CarryOutDeps, refund: LeasedRefund): Promise<void> {
  const reply = await deps.payments.release(refund);
  await failpoint("refunds.after_undo_told");
  if (reply.outcome !== "done") {
    await tryLater(
      deps,
      refund,
      reply.outcome === "problem" ? `payments_${reply.code}` : `payments_${reply.outcome}`,
    );
    return;
  }
  const dropped = await deps.db.transaction().execute(async (trx) => {
    const isDropped = await dropRefund(trx, refund);
    if (isDropped) await forgetKey(trx, refund.refund_id);
    return isDropped;
  });
  if (dropped) deps.events.undone(refund, "never_acknowledged");
  else deps.events.lost(refund);
}
