import { fromNow } from "@holdfast/postgres";
import { sql, type Transaction } from "kysely";
import { operationReference } from "../../bank/ledger/attempts.ts";
import { beginCall, findCalls, type BegunCall } from "../../bank/ledger/call-queries.ts";
import { newCall, type Movement } from "../../bank/ledger/movement.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import type { Operation, PaymentInOperation } from "./operation-queries.ts";
import type { OperationKind } from "./payment-operation.ts";

export type NewOperation = {
  operation_id: string;
  kind: OperationKind;
  amount_minor: bigint;
  commission_minor: bigint;
  reason: string | null;
  traceparent: string | null;
  credential_issued_by: string | null;
};

/** An operation as the bank is asked to carry it out. */
export function movementOf(
  operation: NewOperation & { payment_id: string },
): Movement & { movementId: string } {
  return {
    kind: operation.kind === "CAPTURE" ? "capture" : "void",
    reference: operationReference(operation),
    movementId: operation.operation_id,
    amountMinor: operation.amount_minor,
  };
}

/** An operation that has begun, whose call may be at the bank from the caller's commit on. */
export type StartedOperation = { payment: PaymentInOperation; operation: Operation; call: BegunCall };

/** Starts the operation on the payment, whose row the caller has locked, under a new lease. */
export async function startOperation(
  trx: Transaction<PaymentsDatabase>,
  payment: PaymentRow,
  started: NewOperation,
  leaseMs: number,
): Promise<StartedOperation> {
  const operated = await trx
    .updateTable("payment")
    .set({
      operation_id: started.operation_id,
      lease_token: sql<string>`gen_random_uuid()`,
      lease_until: fromNow(leaseMs),
      recover_at: fromNow(leaseMs),
      recovery_attempts: 0,
      last_inquiry: null,
      updated_at: sql<Date>`now()`,
    })
    .where("payment_id", "=", payment.payment_id)
    .where("state", "=", payment.state)
    .where("operation_id", "is", null)
    .where("reserved_minor", "=", 0n)
    .returningAll()
    .$narrowType<{ operation_id: string; lease_token: string }>()
    .executeTakeFirst();
  if (!operated) throw new Error("a locked payment changed under its lock");
  const operation = await trx
    .insertInto("payment_operation")
    .values({ ...started, payment_id: payment.payment_id, state: "IN_FLIGHT", finished_at: null })
    .returningAll()
    .executeTakeFirstOrThrow();
  const calls = await findCalls(trx, payment.payment_id);
  const call = await beginCall(trx, operated, newCall(operated, movementOf(operation), 1), calls);
  if (!call) throw new Error("a locked payment changed under its lock");
  return { payment: operated, operation, call };
}
