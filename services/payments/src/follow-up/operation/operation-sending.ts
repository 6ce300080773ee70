import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { OperatedPayment, Operation } from "./operation-queries.ts";

/**
 * Commits, before the operation is sent again, that it may have been sent, and under which reference.
 * @param subReference its own, or the next one where the acquirer has called this one too late without judging it.
 * @returns the operation as it is now, or undefined when the lease is no longer ours.
 */
export async function noteSending(
  db: Kysely<PaymentsDatabase>,
  payment: OperatedPayment,
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

/** Nothing of the last call left this machine, and none before it can arrive any more. */
export async function noteNotSent(
  db: Kysely<PaymentsDatabase>,
  payment: OperatedPayment,
  operation: Operation,
): Promise<void> {
  await db
    .updateTable("payment_operation")
    .set({ sent_at: null })
    .where("operation_id", "=", operation.operation_id)
    .where(isLeased(payment))
    .execute();
}

function isLeased({ payment_id, lease_token }: OperatedPayment) {
  return sql<boolean>`exists (
    select from payment where payment_id = ${payment_id} and lease_token = ${lease_token})`;
}
