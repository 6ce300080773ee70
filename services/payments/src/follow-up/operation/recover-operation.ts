import { movementOutcome, type AcquirerOutcome } from "@holdfast/acquirer";
import {
  callAcquirer,
  concludeOperation,
  leaveToRecovery,
  type ConcludeOperationDeps,
} from "./conclude-operation.ts";
import { askAbout, waitUntil } from "../../bank/calls/ask-about.ts";
import { operationAttempt } from "../../bank/calls/attempts.ts";
import type { TermsOf } from "../../bank/account/account-terms.ts";
import type { LeasedPayment } from "../../payment/payment-lease.ts";
import { findOperation, type PaymentInOperation, type Operation } from "./operation-queries.ts";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

export type RecoverOperationDeps = ConcludeOperationDeps & {
  /** True where the operation may be sent again; a merchant's read only inquires. */
  maySend: boolean;
  termsOf: TermsOf;
};

/**
 * Settles an operation whose answer was lost: asks about its reference, and repeats it under the same reference where
 * the acquirer has not seen it and will not get it any more, or under the next one where the acquirer has called this one too late. An operation is
 * never reversed.
 */
export async function recoverOperation(
  deps: RecoverOperationDeps,
  payment: PaymentInOperation & Pick<LeasedPayment, "due_at">,
): Promise<"concluded" | "waiting" | "lost"> {
  const operation = await findOperation(deps.db, payment.operation_id);
  if (!operation) throw new Error("a payment names an operation that does not exist");
  const inquiry = await askAbout(deps, payment, operationAttempt(operation, payment));
  const asked = { amountMinor: operation.amount_minor, currency: payment.currency };
  const { horizonMs } = deps.termsOf(payment.account_id);
  const sending = { sentMsAgo: operation.sent_ms_ago, horizonMs };
  const known = movementOutcome(inquiry, asked, sending, deps.acquirers.of(payment.account_id).capabilities);
  const isKnown = typeof known === "object" && known.kind !== "unknown" && known.kind !== "not_sent";
  if (isKnown || (deps.maySend && typeof known === "object")) {
    return await conclude(deps, payment, operation, known);
  }
  if (typeof known === "object" || known === "wait") {
    const notAfter = deps.maySend ? null : payment.due_at;
    await leaveToRecovery(deps, payment, operation, inquiry.kind, { notAfter });
    return "waiting";
  }
  if (!deps.maySend) {
    // The worker sends it, and need not wait for the schedule.
    await leaveToRecovery(deps, payment, operation, inquiry.kind, { inMs: 0 });
    return "waiting";
  }
  // Counted from before the commit: a process that stands still after it must not send it when another one may.
  const until = waitUntil(deps);
  const subReference = operation.sub_reference + (known === "repeat" ? 0 : 1);
  const current = await recordSending(deps.db, payment, operation, subReference);
  if (!current) return "lost";
  const outcome = await callAcquirer(deps, current, payment, until);
  if (outcome.kind === "not_sent") await recordNotSent(deps.db, payment, current);
  return await conclude(deps, payment, current, outcome);
}

async function conclude(
  deps: RecoverOperationDeps,
  payment: PaymentInOperation,
  operation: Operation,
  outcome: AcquirerOutcome,
): Promise<"concluded" | "waiting"> {
  const reply = await concludeOperation(deps, payment, operation, outcome);
  return reply.outcome === "pending" ? "waiting" : "concluded";
}

/**
 * Commits, before the operation is sent again, that it may have been sent, and under which reference.
 * @param subReference its own, or the next one where the acquirer has called this one too late without judging it.
 * @returns the operation as it is now, or undefined when the lease is no longer ours.
 */
async function recordSending(
  db: Kysely<PaymentsDatabase>,
  payment: PaymentInOperation,
  operation: Operation,
  subReference: number,
): Promise<Operation | undefined> {
  return await db
    .updateTable("payment_operation")
    .set({ sub_reference: subReference, sent_at: sql<Date>`now()` })
    .where("operation_id", "=", operation.operation_id)
    .where("sub_reference", "=", operation.sub_reference)
    .where("state", "=", "IN_FLIGHT")
    .where(isLeased(payment))
    .returningAll()
    .executeTakeFirst();
}

/** Notes that nothing of the last call left this machine, and that none before it can arrive any more. */
async function recordNotSent(
  db: Kysely<PaymentsDatabase>,
  payment: PaymentInOperation,
  operation: Operation,
): Promise<void> {
  await db
    .updateTable("payment_operation")
    .set({ sent_at: null })
    .where("operation_id", "=", operation.operation_id)
    .where(isLeased(payment))
    .execute();
}

function isLeased({ payment_id, lease_token }: PaymentInOperation) {
  return sql<boolean>`exists (
    select from payment where payment_id = ${payment_id} and lease_token = ${lease_token})`;
}
