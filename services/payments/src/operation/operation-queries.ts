import { forgetKey, storeAnswer } from "@holdfast/idempotency";
import { PAYMENT_STATUS_CHANGED, type ApiPaymentResponse, type CommandReply } from "@holdfast/contracts";
import { fromNow } from "@holdfast/service-runtime";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import type { PaymentOperationTable } from "./operation-table.ts";
import { paymentRecord, webhookBody, type PaymentRow } from "../payment/payment-record.ts";
import { transition } from "../payment/payment.ts";
import type { OperationKind } from "./payment-operation.ts";

export type Operation = Selectable<PaymentOperationTable>;

/** A payment with an operation under way on it, under a lease of ours. */
export type OperatedPayment = PaymentRow & { lease_token: string; operation_id: string };

/** The payment's row, locked until the transaction ends. @param merchantId undefined for our own work. */
export async function lockPayment(
  trx: Transaction<PaymentsDatabase>,
  paymentId: string,
  merchantId: string | undefined,
): Promise<PaymentRow | undefined> {
  return await trx
    .selectFrom("payment")
    .selectAll()
    .where("payment_id", "=", paymentId)
    .$if(merchantId !== undefined, (query) => query.where("merchant_id", "=", merchantId!))
    .forUpdate()
    .executeTakeFirst();
}

/** One operation, with its age by the database's clock. */
export async function findOperation(
  db: Kysely<PaymentsDatabase>,
  operationId: string,
): Promise<(Operation & { age_ms: number }) | undefined> {
  return await db
    .selectFrom("payment_operation")
    .selectAll()
    .select(sql<number>`extract(epoch from now() - created_at)::float8 * 1000`.as("age_ms"))
    .where("operation_id", "=", operationId)
    .executeTakeFirst();
}

export type NewOperation = {
  operation_id: string;
  kind: OperationKind;
  amount_minor: bigint;
  commission_minor: bigint;
  reason: string | null;
  traceparent: string | null;
};

/** Starts the operation on the payment, whose row the caller has locked, under a new lease. */
export async function startOperation(
  trx: Transaction<PaymentsDatabase>,
  payment: PaymentRow,
  operation: NewOperation,
  leaseMs: number,
): Promise<OperatedPayment> {
  const operated = await trx
    .updateTable("payment")
    .set({
      operation_id: operation.operation_id,
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
  await trx
    .insertInto("payment_operation")
    .values({ ...operation, payment_id: payment.payment_id, state: "IN_FLIGHT", finished_at: null })
    .execute();
  return operated;
}

/** How an operation ends. */
export type OperationEnd =
  | { state: "DONE"; resultCode: string; resultMessage: string }
  | { state: "DECLINED"; resultCode: string; resultMessage: string }
  | { state: "DROPPED" };

type Reply = CommandReply<ApiPaymentResponse>;

/**
 * Ends the operation and removes it from the payment: with its effect, history, event and stored answer, or with nothing
 * but its own end. All of it is in the caller's transaction.
 *
 * @returns the answer, or undefined when the lease is no longer ours.
 */
export async function finishOperation(
  trx: Transaction<PaymentsDatabase>,
  payment: OperatedPayment,
  operation: Operation,
  end: OperationEnd,
): Promise<Reply | undefined> {
  const after = end.state === "DONE" ? effectOf(payment, operation, end) : payment;
  const { numUpdatedRows } = await trx
    .updateTable("payment")
    .set({
      state: after.state,
      version: after.version,
      captured_minor: after.captured_minor,
      commission_minor: after.commission_minor,
      result_code: after.result_code,
      result_message: after.result_message,
      operation_id: null,
      lease_token: null,
      lease_until: null,
      recover_at: null,
      updated_at: sql<Date>`now()`,
    })
    .where("payment_id", "=", payment.payment_id)
    .where("state", "=", payment.state)
    .where("operation_id", "=", operation.operation_id)
    .where("lease_token", "=", payment.lease_token)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) return undefined;
  await trx
    .updateTable("payment_operation")
    .set({
      state: end.state,
      finished_at: sql<Date>`now()`,
      ...(end.state !== "DROPPED" && { result_code: end.resultCode, result_message: end.resultMessage }),
    })
    .where("operation_id", "=", operation.operation_id)
    .execute();
  if (after.state !== payment.state) await recordChange(trx, payment, after, operation);
  const reply = replyOf(after, end);
  if (end.state === "DROPPED") await forgetKey(trx, operation.operation_id);
  else await storeAnswer(trx, operation.operation_id, reply);
  return reply;
}

function effectOf(
  payment: OperatedPayment,
  operation: Operation,
  { resultCode, resultMessage }: { resultCode: string; resultMessage: string },
): OperatedPayment {
  const version = payment.version + 1;
  switch (operation.kind) {
    case "CAPTURE":
      return {
        ...payment,
        version,
        state: transition(payment.state, "CAPTURED"),
        captured_minor: operation.amount_minor,
        commission_minor: operation.commission_minor,
      };
    case "CANCEL":
    case "EXPIRY":
      return {
        ...payment,
        version,
        state: transition(payment.state, "CANCELLED"),
        result_code: resultCode,
        result_message: resultMessage,
      };
    default:
      return operation.kind satisfies never;
  }
}

/** Writes the history, and the event of a final state. CAPTURED is not final, so it has no webhook. */
async function recordChange(
  trx: Transaction<PaymentsDatabase>,
  before: PaymentRow,
  after: PaymentRow,
  operation: Operation,
): Promise<void> {
  const { payment_id, merchant_id, version } = after;
  const cause = CAUSES[operation.kind];
  await trx
    .insertInto("payment_history")
    .values({ payment_id, version, from_state: before.state, to_state: after.state, cause })
    .execute();
  if (after.state !== "CANCELLED") return;
  await trx
    .insertInto("outbox")
    .values({
      event_type: PAYMENT_STATUS_CHANGED,
      payment_id,
      merchant_id,
      status: after.state,
      body: webhookBody(after),
      traceparent: operation.traceparent,
    })
    .execute();
}

const CAUSES: Record<OperationKind, string> = { CAPTURE: "captured", CANCEL: "cancelled", EXPIRY: "expired" };

/** The answer to the request that began an operation. */
export function replyOf(payment: PaymentRow, end: OperationEnd): Reply {
  switch (end.state) {
    case "DONE":
      return { outcome: "done", result: paymentRecord(payment) };
    case "DECLINED": {
      const { resultCode, resultMessage } = end;
      return { outcome: "problem", code: "acquirer_declined", extra: { resultCode, resultMessage } };
    }
    case "DROPPED":
      return { outcome: "not_started" };
    default:
      return end satisfies never;
  }
}
