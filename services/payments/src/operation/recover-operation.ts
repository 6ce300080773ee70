import type { InquiryOutcome } from "@holdfast/acquirer";
import {
  callAcquirer,
  concludeOperation,
  operationReference,
  type ConcludeOperationDeps,
} from "./conclude-operation.ts";
import { findOperation, type OperatedPayment, type Operation } from "./operation-queries.ts";

/**
 * Settles an operation whose answer was lost: asks about its reference, and repeats it under the same reference where
 * the acquirer has not seen it. An operation is never reversed.
 */
export async function recoverOperation(
  deps: ConcludeOperationDeps,
  payment: OperatedPayment,
): Promise<"settled" | "waiting"> {
  const operation = await findOperation(deps.db, payment.operation_id);
  if (!operation) throw new Error("a payment names an operation that does not exist");
  const expiresAt = () => new Date(deps.now() + deps.acquirerTimeoutMs);
  const inquiry = await deps.acquirer.inquire({
    reference: operationReference(operation),
    expiresAt: expiresAt(),
  });
  const known = outcomeOf(inquiry, operation, payment);
  const outcome = known === "repeat" ? await callAcquirer(deps, operation, payment, expiresAt()) : known;
  const reply = await concludeOperation(deps, payment, operation, outcome);
  return reply.outcome === "pending" ? "waiting" : "settled";
}

/** The operation's outcome by an inquiry, or that it is to be repeated. */
function outcomeOf(inquiry: InquiryOutcome, operation: Operation, payment: OperatedPayment) {
  switch (inquiry.kind) {
    case "approved": {
      const same = inquiry.amountMinor === operation.amount_minor && inquiry.currency === payment.currency;
      // Another amount than ours under our reference needs an operator.
      return same ? inquiry : ({ kind: "unknown", reason: "mismatch" } as const);
    }
    case "not_found":
      return "repeat" as const;
    case "reversed":
      return { kind: "unknown", reason: "mismatch" } as const;
    case "declined":
    case "unknown":
    case "not_sent":
      return inquiry;
    default:
      return inquiry satisfies never;
  }
}
