import { concludeOperation, leaveToRecovery, type ConcludeOperationDeps } from "./conclude-operation.ts";
import { findCalls } from "../../bank/ledger/call-queries.ts";
import { inquire, nextStep, send, subReferenceOf, type Sent } from "../../bank/ledger/movement.ts";
import type { LeasedPayment } from "../../payment/payment-lease.ts";
import { findOperation, type PaymentInOperation, type Operation } from "./operation-queries.ts";
import { movementOf } from "./start-operation.ts";

export type RecoverOperationDeps = ConcludeOperationDeps & {
  /** True if the operation may be sent again; a merchant's read only inquires. */
  maySend: boolean;
};

/**
 * Settles an operation whose answer was lost: inquires about it, and sends it again if that is safe. It is
 * never reversed.
 */
export async function recoverOperation(
  deps: RecoverOperationDeps,
  payment: PaymentInOperation & Pick<LeasedPayment, "due_at">,
): Promise<"concluded" | "waiting" | "lost"> {
  const operation = await findOperation(deps.db, payment.operation_id);
  if (!operation) throw new Error("a payment names an operation that does not exist");
  const calls = await findCalls(deps.db, payment.payment_id);
  const movement = movementOf(operation);
  const inquiry = await inquire(deps, payment, movement, calls);
  const step = nextStep(deps, payment, movement, calls, inquiry);
  if (typeof step === "object") {
    const isKnown = step.kind === "approved" || step.kind === "declined";
    const subReference = subReferenceOf(calls, movement);
    if (isKnown || deps.maySend)
      return await conclude(deps, payment, operation, { outcome: step, subReference });
  }
  if (typeof step === "object" || step === "wait") {
    const notAfter = deps.maySend ? null : payment.due_at;
    await leaveToRecovery(deps, payment, operation, inquiry.kind, { notAfter });
    return "waiting";
  }
  if (!deps.maySend) {
    // The worker sends it, and need not wait for the schedule.
    await leaveToRecovery(deps, payment, operation, inquiry.kind, { inMs: 0 });
    return "waiting";
  }
  const sent = await send(deps, payment, movement, calls, step);
  return sent ? await conclude(deps, payment, operation, sent) : "lost";
}

async function conclude(
  deps: RecoverOperationDeps,
  payment: PaymentInOperation,
  operation: Operation,
  sent: Sent,
): Promise<"concluded" | "waiting"> {
  const reply = await concludeOperation(deps, payment, operation, sent);
  return reply.outcome === "pending" ? "waiting" : "concluded";
}
