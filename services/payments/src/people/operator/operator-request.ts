import { appendAudit, staffOf } from "@holdfast/audit";
import type { CommandReply, OperatorContext, OperatorPaymentDetail } from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { isUnsettled, merchantStatus } from "../../payment/payment.ts";
import { leaseUnsettled, type LeasedPayment } from "../../payment/payment-lease.ts";
import type { RecoverDeps } from "../../unknown/recovery/recover-payment.ts";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import { operatorPaymentDetail } from "./operator-payment.ts";
import {
  findForOperator,
  findHistory,
  findLate,
  findOperations,
  findProtocol,
} from "./operator-payment-queries.ts";

/** Dependencies of every operators' command on one payment, which leases it, writes the audit log, and shows it. */
export type OperatorDeps = RecoverDeps & { limits: { leaseMs: number; overdueAfterMs: number } };
export type Reply = CommandReply<OperatorPaymentDetail>;
export type Problem = Extract<Reply, { outcome: "problem" }>;

/** One payment of any merchant, with its history. */
export async function describe(
  { db, limits }: { db: OperatorDeps["db"]; limits: { overdueAfterMs: number } },
  paymentId: string,
): Promise<Reply> {
  const payment = await findForOperator(db, paymentId);
  if (!payment) return { outcome: "problem", code: "payment_not_found" };
  const [history, operations, calls, late, protocol] = await Promise.all([
    findHistory(db, paymentId),
    findOperations(db, paymentId),
    findCalls(db, paymentId),
    findLate(db, paymentId),
    findProtocol(db, payment.account_id),
  ]);
  const result = operatorPaymentDetail(payment, { history, operations, calls, late, protocol, ...limits });
  return { outcome: "done", result };
}

/** Leases an unresolved payment that no process works on. @returns why it cannot be had. */
export async function lease(
  { limits: { leaseMs } }: OperatorDeps,
  trx: Transaction<PaymentsDatabase>,
  paymentId: string,
): Promise<LeasedPayment | Problem> {
  const [leased] = await leaseUnsettled(trx, { leaseMs, paymentId, restMs: 0 });
  if (leased) return leased;
  const payment = await findForOperator(trx, paymentId);
  if (!payment) return { outcome: "problem", code: "payment_not_found" };
  const isOpen = isUnsettled(payment.state) || payment.operation_id !== null;
  return isOpen ? { outcome: "problem", code: "operation_in_progress" } : invalidState(payment);
}

export function invalidState({ state }: Pick<LeasedPayment, "state">): Problem {
  return {
    outcome: "problem",
    code: "invalid_payment_state",
    extra: { currentStatus: merchantStatus(state) },
  };
}

/** Writes the operator's action to the audit log. A refused attempt is an action, too. */
export function audit(
  trx: Transaction<PaymentsDatabase>,
  { operator, requestId }: OperatorContext,
  action: string,
  { payment_id, merchant_id }: Pick<LeasedPayment, "payment_id" | "merchant_id">,
  detail: Record<string, unknown>,
): Promise<void> {
  return appendAudit(trx, {
    actor: operator.name,
    action,
    subject: payment_id,
    detail: { merchantId: merchant_id, requestId, ...staffOf(operator), ...detail },
  });
}
