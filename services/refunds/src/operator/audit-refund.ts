import { appendAudit } from "@holdfast/audit";
import { formatAmount, type OperatorContext } from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { RefundRow } from "../refund/refund-record.ts";

type RefundAction =
  | "refund.requested"
  | "refund.approved"
  | "refund.approval_refused"
  | "refund.rejected"
  | "refund.inquired"
  | "refund.resolution_proposed"
  | "refund.resolution_refused"
  | "refund.resolved";

/** Writes an operator's action to the audit log, in the transaction of its effect. */
export async function auditRefund(
  trx: Transaction<RefundsDatabase>,
  { operator, requestId }: OperatorContext,
  action: RefundAction,
  refund: RefundRow,
  detail: Record<string, unknown>,
): Promise<void> {
  await appendAudit(trx, {
    actor: operator.name,
    action,
    subject: refund.refund_id,
    detail: {
      merchantId: refund.merchant_id,
      paymentId: refund.payment_id,
      amount: formatAmount(refund.amount_minor, refund.currency_exponent),
      currency: refund.currency,
      requestId,
      ...detail,
    },
  });
}
