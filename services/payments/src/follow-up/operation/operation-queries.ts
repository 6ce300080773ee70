import { forgetKey, storeAnswer } from "@holdfast/idempotency";
import {
  PAYMENT_CAPTURED,
  PAYMENT_OPERATION_SETTLED,
  PAYMENT_STATUS_CHANGED,
  type ApiPaymentResponse,
  type CommandReply,
  type EventType,
} from "@holdfast/contracts";
import { fromNow, msSince } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentOperationTable } from "./operation-table.ts";
import {
  paymentRecord,
  type PaymentRow,
  type ShownOperation,
  type ShownPayment,
} from "../../payment/payment-record.ts";
import { transition } from "../../payment/payment.ts";
import { lowerExcess } from "../chargeback/chargeback-queries.ts";
import { recordEvent } from "../../payment/record-event.ts";
import { expiryNotSent, type AfterDeclinedExpiry, type OperationKind } from "./payment-operation.ts";

export type Operation = Selectable<PaymentOperationTable>;

/** A payment with an operation under way on it, under a lease of ours. */
export type PaymentInOperation = PaymentRow & { lease_token: string; operation_id: string };

/** One operation, with its age, by the database's clock. */
export async function findOperation(
  db: Kysely<PaymentsDatabase>,
  operationId: string,
): Promise<(Operation & { age_ms: number }) | undefined> {
  return await db
    .selectFrom("payment_operation")
    .selectAll()
    .select(msSince("created_at").as("age_ms"))
    .where("operation_id", "=", operationId)
    .executeTakeFirst();
}

/** The end of an operation. */
export type OperationEnd =
  | { state: "DONE"; resultCode: string; resultMessage: string }
  /** `expiry`: the consequence for an authorization that was to expire. */
  | { state: "DECLINED"; resultCode: string; resultMessage: string; expiry?: AfterDeclinedExpiry }
  /** The operation was not sent. `waitMs`: for how long the bank accepts no such call. */
  | { state: "DROPPED"; waitMs?: number };

type Reply = CommandReply<ApiPaymentResponse>;

/**
 * Ends the operation, in the given amount, and removes it from the payment: with its effect, history, event
 * and stored answer, or only with its own end. Everything is in the caller's transaction.
 *
 * @returns the answer, or undefined if the lease is no longer ours.
 */
export async function finishOperation(
  trx: Transaction<PaymentsDatabase>,
  payment: PaymentInOperation,
  operation: Operation,
  end: OperationEnd,
): Promise<Reply | undefined> {
  const at = new Date();
  const expiry = await expiryAfter(trx, operation, end);
  const expired = expiry && "end" in expiry ? expiry.end : undefined;
  const changed = end.state === "DONE" || expired !== undefined;
  const after = changed && end.state !== "DROPPED" ? effectOf(payment, operation, { ...end, at }) : payment;
  const ended = await trx
    .updateTable("payment")
    .set({
      state: after.state,
      version: after.version,
      state_since: after.state_since,
      captured_minor: after.captured_minor,
      commission_minor: after.commission_minor,
      result_code: after.result_code,
      result_message: after.result_message,
      ...(expiry && "againInMs" in expiry && { authorization_expires_at: fromNow(expiry.againInMs) }),
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
    .returningAll()
    .executeTakeFirst();
  if (!ended) return undefined;
  if (!changed) await lowerExcess(trx, ended);
  await trx
    .updateTable("payment_operation")
    .set({
      state: end.state,
      finished_at: at,
      amount_minor: operation.amount_minor,
      commission_minor: operation.commission_minor,
      ...(end.state !== "DROPPED" && { result_code: end.resultCode, result_message: end.resultMessage }),
    })
    .where("operation_id", "=", operation.operation_id)
    .execute();
  const shown = { ...after, last_operation: shownOperation(operation, end, at) };
  if (after.state !== payment.state) {
    await recordHistory(trx, payment, shown, expired ? EXPIRED[expired] : CAUSES[operation.kind]);
  }
  for (const eventType of eventsOf(shown, after.state !== payment.state))
    await recordEvent(trx, shown, eventType, operation.traceparent);
  const reply = replyOf(shown, end);
  if (end.state === "DROPPED") await forgetKey(trx, operation.operation_id);
  else await storeAnswer(trx, operation.operation_id, reply);
  return reply;
}

/** The consequence of an expiry that the acquirer declined or that could not be sent. */
async function expiryAfter(
  trx: Transaction<PaymentsDatabase>,
  operation: Operation,
  end: OperationEnd,
): Promise<AfterDeclinedExpiry | undefined> {
  if (operation.kind !== "EXPIRY" || end.state === "DONE") return undefined;
  if (end.state === "DECLINED") return end.expiry;
  return expiryNotSent((await countExpiries(trx, operation.payment_id, "DROPPED")) + 1, end.waitMs);
}

/** The number of a payment's expiries that have ended in this way. */
export async function countExpiries(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
  state: "DECLINED" | "DROPPED",
): Promise<number> {
  const { count } = await db
    .selectFrom("payment_operation")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("payment_id", "=", paymentId)
    .where("kind", "=", "EXPIRY")
    .where("state", "=", state)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function shownOperation(operation: Operation, end: OperationEnd, at: Date): ShownOperation | null {
  if (end.state === "DROPPED") return null;
  const { kind, amount_minor, reason } = operation;
  return { kind, status: end.state, amount_minor, result_code: end.resultCode, reason, at };
}

/** An operation that is under way, as a record shows it. */
export function pendingOperation({ kind, amount_minor, reason, created_at }: Operation): ShownOperation {
  return { kind, status: "PENDING", amount_minor, result_code: null, reason, at: created_at };
}

function effectOf(
  payment: PaymentInOperation,
  operation: Operation,
  { resultCode, resultMessage, at }: { resultCode: string; resultMessage: string; at: Date },
): PaymentInOperation {
  const version = payment.version + 1;
  switch (operation.kind) {
    case "CAPTURE":
      return {
        ...payment,
        version,
        state_since: at,
        state: transition(payment.state, "CAPTURED"),
        captured_minor: operation.amount_minor,
        commission_minor: operation.commission_minor,
      };
    case "CANCEL":
    case "EXPIRY":
      return {
        ...payment,
        version,
        state_since: at,
        state: transition(payment.state, "CANCELLED"),
        result_code: resultCode,
        result_message: resultMessage,
      };
    default:
      return operation.kind satisfies never;
  }
}

async function recordHistory(
  trx: Transaction<PaymentsDatabase>,
  before: PaymentRow,
  { payment_id, version, state }: PaymentRow,
  cause: string,
): Promise<void> {
  await trx
    .insertInto("payment_history")
    .values({ payment_id, version, from_state: before.state, to_state: state, cause })
    .execute();
}

/**
 * CANCELLED is final; all other events go only to endpoints that subscribe to them. An operation's end is an event
 * whether or not the request got it as its answer: at the commit it is not known whether the answer will arrive.
 */
function eventsOf({ state, last_operation }: PaymentRow & ShownPayment, isChanged: boolean): EventType[] {
  const types: EventType[] = [];
  if (isChanged && state === "CANCELLED") types.push(PAYMENT_STATUS_CHANGED);
  if (isChanged && state === "CAPTURED") types.push(PAYMENT_CAPTURED);
  const isRequested = last_operation && last_operation.kind !== "EXPIRY";
  if (isRequested) types.push(PAYMENT_OPERATION_SETTLED);
  return types;
}

const CAUSES: Record<OperationKind, string> = { CAPTURE: "captured", CANCEL: "cancelled", EXPIRY: "expired" };

/** Causes of an end that the bank has declined. */
const EXPIRED = { lapses: "hold_lapses", gone: "expiry_declined" } as const;

/** The answer to the request that began an operation. */
export function replyOf(payment: ShownPayment, end: OperationEnd): Reply {
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
