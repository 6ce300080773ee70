/**
 * Operators settle a payment whose outcome is not known: they ask the bank again, reverse the payment, or record what
 * the bank has told them. Each of these works under the payment's lease, as recovery does, so the two never meet. Each
 * is written to the audit log in the transaction of its effect.
 */
import { appendAudit } from "@holdfast/audit";
import type { CommandReply, OperatorContext, OperatorPaymentDetail } from "@holdfast/contracts";
import type { Transaction } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { settle, type AcquirerResult } from "../payment/authorization-outcome.ts";
import { endOfReversal, isUnsettled, merchantStatus, reversalState } from "../payment/payment.ts";
import { recordWithin } from "../payment/payment-writes.ts";
import { findOperation, finishOperation, type OperatedPayment } from "../operation/operation-queries.ts";
import { isOperated, recoverPayment, type RecoverDeps } from "../recovery/recover-payment.ts";
import { giveBack, leaseUnsettled, startReversal, type LeasedPayment } from "../payment/payment-lease.ts";
import { operatorPaymentDetail } from "./operator-payment.ts";
import { findForOperator, findHistory } from "./operator-payment-queries.ts";

export type OperatorDeps = RecoverDeps & { leaseMs: number; overdueAfterMs: number };
type Reply = CommandReply<OperatorPaymentDetail>;
type Problem = Extract<Reply, { outcome: "problem" }>;

/** One payment of any merchant, with its history. */
export async function describe({ db, overdueAfterMs }: OperatorDeps, paymentId: string): Promise<Reply> {
  const payment = await findForOperator(db, paymentId);
  if (!payment) return { outcome: "problem", code: "payment_not_found" };
  const history = await findHistory(db, paymentId);
  return { outcome: "done", result: operatorPaymentDetail(payment, history, overdueAfterMs) };
}

/** Asks the acquirer now. */
export async function inquire(
  deps: OperatorDeps,
  context: OperatorContext,
  paymentId: string,
): Promise<Reply> {
  const leased = await deps.db.transaction().execute(async (trx) => {
    const payment = await lease(deps, trx, paymentId);
    if ("outcome" in payment) return payment;
    await audit(trx, context, "payment.inquired", payment, {});
    return payment;
  });
  if ("outcome" in leased) return leased;
  await recoverPayment(deps, leased);
  return await describe(deps, paymentId);
}

/** Decides to reverse the payment. */
export async function reverse(
  deps: OperatorDeps,
  context: OperatorContext,
  paymentId: string,
): Promise<Reply> {
  const leased = await deps.db.transaction().execute(async (trx) => {
    const payment = await lease(deps, trx, paymentId);
    if ("outcome" in payment) return payment;
    if (payment.operation_id !== null) {
      // A capture or cancellation is never reversed: a shipped order must not lose its money.
      await giveBack(trx, payment);
      return invalidState(payment);
    }
    const reversing = reversalState(payment.state);
    if (payment.state !== reversing) await startReversal(trx, payment, "operator_reversal");
    await audit(trx, context, "payment.reversal_decided", payment, { from: payment.state });
    return { ...payment, state: reversing };
  });
  if ("outcome" in leased) return leased;
  await recoverPayment(deps, leased);
  return await describe(deps, paymentId);
}

/** Proposes an outcome, or confirms the one another operator has proposed, which settles the payment. */
export async function resolve(
  deps: OperatorDeps,
  context: OperatorContext,
  { paymentId, outcome, evidence }: { paymentId: string; outcome: "SUCCESS" | "FAILED"; evidence: string },
): Promise<Reply> {
  const problem = await deps.db.transaction().execute(async (trx): Promise<Problem | undefined> => {
    const payment = await lease(deps, trx, paymentId);
    if ("outcome" in payment) return payment;
    const shallNotStand = payment.state === reversalState(payment.state) || payment.state === "ENROLLING";
    if (shallNotStand && outcome === "SUCCESS") {
      await giveBack(trx, payment);
      return invalidState(payment);
    }
    const proposal = await trx
      .selectFrom("payment_resolution")
      .selectAll()
      .where("payment_id", "=", paymentId)
      .executeTakeFirst();
    if (proposal?.outcome === outcome) {
      if (proposal.proposed_by === context.operator.name) {
        await giveBack(trx, payment);
        return { outcome: "problem", code: "same_person" };
      }
      await confirm(trx, context, payment, { outcome, evidence, proposedBy: proposal.proposed_by });
    } else {
      await propose(trx, context, payment, { outcome, evidence });
    }
    return undefined;
  });
  return problem ?? (await describe(deps, paymentId));
}

async function propose(
  trx: Transaction<PaymentsDatabase>,
  context: OperatorContext,
  payment: LeasedPayment,
  { outcome, evidence }: { outcome: "SUCCESS" | "FAILED"; evidence: string },
): Promise<void> {
  const row = { outcome, evidence, proposed_by: context.operator.name, proposed_at: new Date() };
  await trx
    .insertInto("payment_resolution")
    .values({ payment_id: payment.payment_id, ...row })
    .onConflict((conflict) => conflict.column("payment_id").doUpdateSet(row))
    .execute();
  await giveBack(trx, payment);
  await audit(trx, context, "payment.resolution_proposed", payment, { outcome, evidence });
}

async function confirm(
  trx: Transaction<PaymentsDatabase>,
  context: OperatorContext,
  payment: LeasedPayment,
  { outcome, evidence, proposedBy }: { outcome: "SUCCESS" | "FAILED"; evidence: string; proposedBy: string },
): Promise<void> {
  if (isOperated(payment)) await resolveOperation(trx, payment, outcome);
  else {
    // A payment the bank has reserved nothing for ends as it would have after a reversal.
    const to = outcome === "FAILED" ? endOfReversal(reversalState(payment.state)) : outcome;
    const settlement = { to, cause: "resolved_by_operators", result: RESOLVED };
    await recordWithin(trx, settle(payment, settlement, { keyed: true }).change);
  }
  await trx.deleteFrom("payment_resolution").where("payment_id", "=", payment.payment_id).execute();
  await audit(trx, context, "payment.resolved", payment, { outcome, evidence, proposedBy });
}

/** A capture or cancellation of unknown outcome: SUCCESS means that the bank did it, FAILED that it did not. */
async function resolveOperation(
  trx: Transaction<PaymentsDatabase>,
  payment: LeasedPayment & OperatedPayment,
  outcome: "SUCCESS" | "FAILED",
): Promise<void> {
  const operation = await findOperation(trx, payment.operation_id);
  if (!operation) throw new Error("a payment names an operation that does not exist");
  const { resultCode, resultMessage } = RESOLVED;
  const state = outcome === "SUCCESS" ? "DONE" : "DECLINED";
  await finishOperation(trx, payment, operation, { state, resultCode, resultMessage });
}

const RESOLVED: AcquirerResult = {
  externalTransactionId: null,
  authCode: null,
  resultCode: "resolved",
  resultMessage: "Resolved by two operators with the outcome that the bank confirmed",
};

async function lease(
  { leaseMs }: OperatorDeps,
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

function invalidState({ state }: Pick<LeasedPayment, "state">): Problem {
  return {
    outcome: "problem",
    code: "invalid_payment_state",
    extra: { currentStatus: merchantStatus(state) },
  };
}

function audit(
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
    detail: { merchantId: merchant_id, requestId, ...detail },
  });
}
