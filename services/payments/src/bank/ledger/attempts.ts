import {
  orderIdOf,
  type Attempt,
  type CardOperation,
  type FollowUpRequest,
  type Target,
} from "@holdfast/acquirer";
import type { Operation } from "../../follow-up/operation/operation-queries.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";

/** The columns by which calls about a payment name it. */
export type OrderedPayment = Pick<
  PaymentRow,
  | "payment_id"
  | "merchant_id"
  | "transaction_type"
  | "amount_minor"
  | "captured_minor"
  | "currency"
  | "installment_count"
  | "external_transaction_id"
  | "created_at"
  | "recovery_from"
  | "account_id"
>;

/** The payment as an inquiry names it. */
export function orderOf(payment: OrderedPayment) {
  const { payment_id, external_transaction_id } = payment;
  return {
    orderId: orderIdOf(payment_id),
    operation: cardOperationOf(payment),
    ...(external_transaction_id !== null && { externalTransactionId: external_transaction_id }),
  };
}

/** The authorization or sale as a follow-up names it. */
export function targetOf(payment: OrderedPayment): Target {
  const { amount_minor, captured_minor, external_transaction_id, installment_count } = payment;
  return {
    amountMinor: amount_minor,
    installmentCount: installment_count,
    ...(payment.transaction_type === "PRE_AUTHORIZATION" && { capturedMinor: captured_minor }),
    at: chargedAt(payment),
    ...(external_transaction_id !== null && { externalTransactionId: external_transaction_id }),
  };
}

/**
 * The time when the bank was asked to charge, which may be on a later business day than the claim. With 3-D
 * Secure this is the time of the completion, and after a soft decline the time of the call to another account.
 */
export function chargedAt({
  recovery_from,
  created_at,
}: Pick<OrderedPayment, "recovery_from" | "created_at">): Date {
  return recovery_from ?? created_at;
}

/** The parts that every follow-up on a payment shares. */
export function followUpOf(
  payment: OrderedPayment,
): Pick<FollowUpRequest, "orderId" | "parentReference" | "currency" | "target"> {
  return {
    orderId: orderIdOf(payment.payment_id),
    parentReference: payment.payment_id,
    currency: payment.currency,
    target: targetOf(payment),
  };
}

/** `authorize` or `sale`, the operation that a payment began with. */
export function cardOperationOf({ transaction_type }: Pick<PaymentRow, "transaction_type">): CardOperation {
  return transaction_type === "PAYMENT" ? "sale" : "authorize";
}

/** The authorization or sale itself. */
export function paymentAttempt(payment: OrderedPayment): Attempt {
  return {
    reference: payment.payment_id,
    kind: cardOperationOf(payment),
    amountMinor: payment.amount_minor,
    currency: payment.currency,
  };
}

/** Our reference of an operation's first call. It begins with the payment's id. */
export function operationReference({
  payment_id,
  kind,
  operation_id,
}: Pick<Operation, "payment_id" | "kind" | "operation_id">): string {
  return `${payment_id}:${kind.toLowerCase()}:${operation_id}`;
}

/** Our reference of the first refund that gives back a settled payment. It begins with the payment's id. */
export function reversalRefundReference(paymentId: string): string {
  return `${paymentId}:reversal`;
}
