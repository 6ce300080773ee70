import { readAuditEntriesBefore } from "@holdfast/audit";
import { operations, readAuditLog, readProposals, type OperatorContext } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { describe, type OperatorDeps, audit, invalidState, lease, type Reply } from "./operator-request.ts";
import { listProposals } from "./list-proposals.ts";
import { resolve } from "./resolve-payment.ts";
import { giveBack, startReversal } from "../../payment/payment-lease.ts";
import { isBeingReversed } from "../../payment/payment.ts";
import { recoverPayment } from "../../unknown/recovery/recover-payment.ts";

/** Commands of operators; `serve` has verified who they are and what they may do. */
export function operatorHandlers(deps: OperatorDeps) {
  return [
    handler(operations.getOperatorPayment.command, ({ payload }) => describe(deps, payload.paymentId)),
    handler(operations.inquirePayment.command, ({ context, payload }) =>
      inquire(deps, context, payload.paymentId),
    ),
    handler(operations.reversePayment.command, ({ context, payload }) =>
      reverse(deps, context, payload.paymentId),
    ),
    handler(operations.resolvePayment.command, ({ context, payload }) => resolve(deps, context, payload)),
    handler(readProposals.payments, ({ context, payload }) => listProposals(deps, context, payload)),
    handler(readAuditLog.payments, async ({ payload }) => ({
      outcome: "done",
      result: { entries: await readAuditEntriesBefore(deps.db, "payments", payload) },
    })),
  ];
}

/**
 * Lets operators settle a payment whose outcome is unknown: they ask the bank again or reverse the payment.
 * Each command works under the payment's lease, like recovery, so the two never work on it together. Each is
 * written to the audit log in the transaction of its effect.
 */

/** Asks the acquirer now. */
async function inquire(deps: OperatorDeps, context: OperatorContext, paymentId: string): Promise<Reply> {
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
async function reverse(deps: OperatorDeps, context: OperatorContext, paymentId: string): Promise<Reply> {
  const leased = await deps.db.transaction().execute(async (trx) => {
    const payment = await lease(deps, trx, paymentId);
    if ("outcome" in payment) return payment;
    if (payment.operation_id !== null) {
      // A capture or cancellation is never reversed: a shipped order must not lose its money.
      await giveBack(trx, payment);
      return invalidState(payment);
    }
    const reversing = isBeingReversed(payment.state)
      ? payment
      : await startReversal(trx, payment, "operator_reversal");
    if (!reversing) throw new Error("a payment under our lease changed");
    await audit(trx, context, "payment.reversal_decided", payment, { from: payment.state });
    return reversing;
  });
  if ("outcome" in leased) return leased;
  await recoverPayment(deps, leased);
  return await describe(deps, paymentId);
}
