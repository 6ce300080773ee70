import { carryOutRefund } from "../refund/carry-out-refund.ts";
import { auditRefund } from "./audit-refund.ts";
import { describeRefund } from "./list-refunds.ts";
import {
  leaseLocked,
  lockIdle,
  type OperatorContext,
  type OperatorDeps,
  type Reply,
} from "./operated-refund.ts";

/**
 * Has recovery make its next attempt now: asks the bank about a refund that is executing, or `payments` about one whose end
 * is decided. It works under the refund's lease, so it and recovery never meet.
 */
export async function inquireRefund(
  deps: OperatorDeps,
  context: OperatorContext,
  refundId: string,
): Promise<Reply> {
  const leased = await deps.db.transaction().execute(async (trx) => {
    const refund = await lockIdle(trx, refundId);
    if ("outcome" in refund) return refund;
    await auditRefund(trx, context, "refund.inquired", refund, { state: refund.state });
    return await leaseLocked(trx, deps, refund);
  });
  if ("outcome" in leased) return leased;
  await deps.beyondDeadline.wait(carryOutRefund(deps, leased, { resumed: true }), context);
  return await describeRefund(deps, context, refundId);
}
