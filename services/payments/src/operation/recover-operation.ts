import { movementOutcome, type AcquirerOutcome, type MovementOutcome } from "@holdfast/acquirer";
import {
  callAcquirer,
  concludeOperation,
  leaveToRecovery,
  operationReference,
  type ConcludeOperationDeps,
} from "./conclude-operation.ts";
import type { LeasedPayment } from "../payment/payment-lease.ts";
import {
  findOperation,
  takeNextReference,
  type OperatedPayment,
  type Operation,
} from "./operation-queries.ts";

export type RecoverOperationDeps = ConcludeOperationDeps & {
  /** Whether the operation may be sent again; a merchant's read only inquires. */
  maySend: boolean;
};

/**
 * Settles an operation whose answer was lost: asks about its reference, and repeats it under the same reference where
 * the acquirer has not seen it, or under the next one where the acquirer has called this one too late. An operation is
 * never reversed.
 */
export async function recoverOperation(
  deps: RecoverOperationDeps,
  payment: OperatedPayment & Pick<LeasedPayment, "due_at">,
): Promise<"settled" | "waiting" | "lost"> {
  const operation = await findOperation(deps.db, payment.operation_id);
  if (!operation) throw new Error("a payment names an operation that does not exist");
  const inquiry = await deps.acquirer.inquire({
    reference: operationReference(operation),
    waitUntil: waitUntil(deps),
  });
  const asked = { amountMinor: operation.amount_minor, currency: payment.currency };
  const known = movementOutcome(inquiry, asked);
  if (!deps.maySend && isUnknown(known)) {
    await leaveToRecovery(deps, payment, operation, inquiry.kind, { notAfter: payment.due_at });
    return "waiting";
  }
  if (known !== "repeat" && known !== "repeat_anew") return await conclude(deps, payment, operation, known);
  if (!deps.maySend) {
    // The worker sends it, and need not wait for the schedule.
    await leaveToRecovery(deps, payment, operation, inquiry.kind, { inMs: 0 });
    return "waiting";
  }
  const current = known === "repeat" ? operation : await takeNextReference(deps.db, payment, operation);
  if (!current) return "lost";
  return await conclude(deps, payment, current, await callAcquirer(deps, current, payment, waitUntil(deps)));
}

function isUnknown(known: MovementOutcome): boolean {
  return typeof known === "object" && (known.kind === "unknown" || known.kind === "not_sent");
}

async function conclude(
  deps: RecoverOperationDeps,
  payment: OperatedPayment,
  operation: Operation,
  outcome: AcquirerOutcome,
): Promise<"settled" | "waiting"> {
  const reply = await concludeOperation(deps, payment, operation, outcome);
  return reply.outcome === "pending" ? "waiting" : "settled";
}

function waitUntil({ now, acquirerTimeoutMs }: RecoverOperationDeps): Date {
  return new Date(now() + acquirerTimeoutMs);
}
