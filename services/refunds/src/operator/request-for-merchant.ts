import type { CommandReply, operations, OperatorContext, OperatorRefundDetail } from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import type { z } from "zod";
import { requestRefund, type RequestRefundDeps } from "../request/request-refund.ts";
import { auditRefund } from "./audit-refund.ts";
import { describeRefund, type ViewDeps } from "./list-refunds.ts";

/** POST /operator/payments/{id}/refunds: a merchant's request made by an operator, whom the audit log names. */
export async function requestForMerchant(
  deps: RequestRefundDeps & ViewDeps,
  {
    context,
    payload,
    traceparent,
  }: Incoming<z.infer<typeof operations.requestRefundForMerchant.command.request>, OperatorContext>,
): Promise<CommandReply<OperatorRefundDetail>> {
  const { refundId, paymentId, merchantId, amountMinor, currency, reason } = payload;
  const reply = await requestRefund(deps, {
    refundId,
    paymentId,
    merchantId,
    amountMinor: BigInt(amountMinor),
    currency,
    requestedBy: context.operator.person,
    reason,
    credentialIssuedBy: undefined,
    traceparent: traceparent ?? null,
    deadlineAt: context.deadlineAt,
    idempotency: undefined,
    whenAccepted: (trx, refund) => auditRefund(trx, context, "refund.requested", refund, { reason }),
  });
  return "result" in reply ? await describeRefund(deps, context, refundId) : reply;
}
