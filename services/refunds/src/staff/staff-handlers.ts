import { isLive, operations, staffVersionOf, type OperatorRefund } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { listForOperator, type ListForOperatorDeps } from "../list/list-operator-refunds.ts";
import { findForOperator } from "../operator/operator-refund-queries.ts";
import { describeRefund } from "../operator/list-refunds.ts";
import { requestForMerchant } from "../operator/request-for-merchant.ts";
import type { RequestRefundDeps } from "../request/request-refund.ts";

/**
 * Commands of a merchant's staff, about refunds of the merchant alone that the verified token names. Operators who
 * decide, and their notes, are not shown to them.
 */
export function staffHandlers(deps: ListForOperatorDeps & RequestRefundDeps) {
  return [
    handler(staffVersionOf(operations.listRefunds.command), async ({ context, payload }) => {
      const { merchantId } = context.merchant;
      const own = { ...payload, filter: { ...payload.filter, merchantId }, livemode: isLive(merchantId) };
      const reply = await listForOperator(deps, context, own);
      if (!("result" in reply)) return reply;
      const { items, ...rest } = reply.result;
      const shown = items.map(({ item, ...place }) => ({ ...place, item: forMerchant(item) }));
      return { ...reply, result: { ...rest, items: shown } };
    }),
    handler(
      staffVersionOf(operations.getOperatorRefund.command),
      async ({ context, payload: { refundId } }) => {
        // Another merchant's refund is as unknown as one that does not exist.
        const refund = await findForOperator(deps.db, refundId);
        if (refund?.merchant_id !== context.merchant.merchantId) {
          return { outcome: "problem", code: "refund_not_found" };
        }
        const reply = await describeRefund(deps, context, refundId);
        return "result" in reply ? { ...reply, result: forMerchant(reply.result) } : reply;
      },
    ),
    handler(staffVersionOf(operations.requestRefundForMerchant.command), async (message) => {
      const { merchantId } = message.context.merchant;
      const reply = await requestForMerchant(deps, {
        ...message,
        payload: { ...message.payload, merchantId },
      });
      return "result" in reply ? { ...reply, result: forMerchant(reply.result) } : reply;
    }),
  ];
}

/** Leaves out who has decided among the operators, and what they have said. */
function forMerchant<Refund extends OperatorRefund>(refund: Refund) {
  const {
    credentialIssuedBy: _issuer,
    credentialIssuedByStaff: _kind,
    resolution: _resolution,
    rejectedBy: _rejecter,
    rejectionReason: _reason,
    ...shown
  } = refund;
  return { ...shown, approvedBy: [] };
}
