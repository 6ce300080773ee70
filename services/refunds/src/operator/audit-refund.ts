import { appendAudit, staffOf } from "@holdfast/audit";
import { formatAmount, type OperatorContext, type ProblemCode } from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { RefundRow } from "../refund/refund-record.ts";
import type { Problem } from "./operator-request.ts";

type RefundAction =
  | "refund.requested"
  | "refund.approved"
  | "refund.approval_refused"
  | "refund.rejected"
  | "refund.rejection_refused"
  | "refund.inquired"
  | "refund.resolution_proposed"
  | "refund.resolution_refused"
  | "refund.resolved";

/** Writes an operator's action to the audit log, in the transaction of its effect. A refused attempt is an action, too. */
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
      ...staffOf(operator),
      ...detail,
    },
  });
}

/**
 * Refuses an action for which a person lacks the authority, and writes the attempt to the audit log. The
 * gateway bounds the number of a person's attempts.
 */
export async function refuseAttempt(
  trx: Transaction<RefundsDatabase>,
  context: OperatorContext,
  action: Extract<RefundAction, `${string}_refused`>,
  refund: RefundRow,
  { code, detail }: { code: ProblemCode; detail?: string | undefined },
): Promise<Problem> {
  await auditRefund(trx, context, action, refund, { code, detail });
  return { outcome: "problem", code, ...(detail !== undefined && { detail }) };
}

/** Says why one person is the same as the merchant that asked. */
export const ISSUED_BY_YOU = "You issued the credential with which this refund was requested.";
