import { readAuditEntriesBefore } from "@holdfast/audit";
import { operations, readAuditLog, readProposals } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import type { RequestRefundDeps } from "../request/request-refund.ts";
import { approveRefund, rejectRefund, type DecideDeps } from "./decide-refund.ts";
import { listProposals } from "./list-proposals.ts";
import { describeRefund } from "./list-refunds.ts";
import { requestForMerchant } from "./request-for-merchant.ts";
import { resolveRefund } from "./resolve-refund.ts";
import { carryOutRefund } from "../refund/carry-out-refund.ts";
import { auditRefund } from "./audit-refund.ts";
import {
  leaseLocked,
  lockIdle,
  type OperatorContext,
  type OperatorDeps,
  type Reply,
} from "./operator-request.ts";

/** Commands of operators; `serve` has verified who they are and what they may do. */
export function operatorHandlers(deps: DecideDeps & RequestRefundDeps) {
  return [
    handler(operations.getOperatorRefund.command, ({ context, payload }) =>
      describeRefund(deps, context, payload.refundId),
    ),
    handler(operations.approveRefund.command, ({ context, payload }) =>
      approveRefund(deps, context, payload),
    ),
    handler(operations.rejectRefund.command, ({ context, payload }) => rejectRefund(deps, context, payload)),
    handler(operations.inquireRefund.command, ({ context, payload }) =>
      inquireRefund(deps, context, payload.refundId),
    ),
    handler(operations.resolveRefund.command, ({ context, payload }) =>
      resolveRefund(deps, context, payload),
    ),
    handler(operations.requestRefundForMerchant.command, (message) => requestForMerchant(deps, message)),
    handler(readProposals.refunds, ({ context, payload }) => listProposals(deps, context, payload)),
    handler(readAuditLog.refunds, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(deps.db, "refunds", payload) },
    })),
  ];
}

/**
 * Makes recovery's next attempt now: asks the bank about a refund that is executing, or `payments` about a
 * refund whose end is decided. It works under the refund's lease, so it and recovery never work on it
 * together.
 */
async function inquireRefund(deps: OperatorDeps, context: OperatorContext, refundId: string): Promise<Reply> {
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
