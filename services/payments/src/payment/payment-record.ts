import { amountToJson, isLive, type ApiPaymentResponse, type LastOperation } from "@holdfast/contracts";
import type { Selectable } from "kysely";
import { merchantFieldsIn, type PaymentTable } from "./payment-table.ts";
import { merchantStatus } from "./payment.ts";
import { refundableMinor } from "./refundable-minor.ts";

export type PaymentRow = Selectable<PaymentTable>;

/** The latest operation on a payment, as a record shows it; minor units. */
export type ShownOperation = {
  kind: LastOperation["type"];
  status: LastOperation["status"];
  amount_minor: bigint;
  result_code: string | null;
  /** The reason that the merchant gave. */
  reason: string | null;
  at: Date;
};

/** The columns that a record shows (not leases, fingerprint and the client's address), and its operation. */
export type ShownPayment = ShownColumns & Partial<Refunds> & { last_operation?: ShownOperation | null };

/** Refunds' amounts, read with a payment that can have any; minor units. */
type Refunds = Pick<
  PaymentRow,
  "released_minor" | "reserved_minor" | "refunded_minor" | "charged_back_minor"
>;

type ShownColumns = Omit<
  PaymentRow,
  | "pan_fingerprint"
  | "pan_fingerprint_key_id"
  | "request_ip"
  | "request_port"
  | "released_minor"
  | "reserved_minor"
  | "refunded_minor"
  | "charged_back_minor"
  | "operation_id"
  | "authorization_expires_at"
  | "traceparent"
  | "credential_issued_by"
  | "account_id"
  | "claims_order"
  | "refunds_commission"
  | "lease_token"
  | "lease_until"
  | "recover_at"
  | "recovery_from"
  | "recovery_attempts"
  | "last_inquiry"
  | "notified_at"
  | "updated_at"
>;

/**
 * The payment as the spec's whole record: the bus answer and the webhook's body. Fields are in the spec's
 * order; fields without a value are left out.
 */
export function paymentRecord(payment: ShownPayment): ApiPaymentResponse {
  const status = merchantStatus(payment.state);
  const amounts = amountsOf(payment);
  return {
    paymentId: payment.payment_id,
    orderId: payment.order_id,
    amount: amounts.amount,
    ...(payment.state === "CAPTURED" && {
      capturedAmount: amountToJson(payment.captured_minor, payment.currency_exponent),
    }),
    installmentCount: payment.installment_count,
    ...(amounts.installmentTotal !== undefined && { installmentTotal: amounts.installmentTotal }),
    currency: payment.currency,
    // Commission is due only while the money is reserved or captured.
    merchantCommission:
      status === "SUCCESS" || status === "CAPTURED"
        ? amountToJson(payment.commission_minor, payment.currency_exponent)
        : 0,
    status,
    statusDate: payment.state_since.toISOString(),
    version: payment.version,
    transactionType: payment.transaction_type,
    paymentDate: payment.created_at.toISOString(),
    cardHolderName: payment.card_holder_name,
    pan: payment.masked_pan,
    ...(payment.dom_int !== null && { domInt: payment.dom_int }),
    ...(payment.card_scheme !== null && { cardScheme: payment.card_scheme }),
    ...(payment.card_type !== null && { cardType: payment.card_type }),
    ...(payment.card_sub_type !== null && { cardSubType: payment.card_sub_type }),
    ...(payment.loyalty_code !== null && { loyaltyCode: payment.loyalty_code }),
    ...(payment.external_transaction_id !== null && {
      externalTransactionId: payment.external_transaction_id,
    }),
    ...(payment.auth_code !== null && { authCode: payment.auth_code }),
    ...(payment.result_code !== null && { resultCode: payment.result_code }),
    ...(payment.result_message !== null && { resultMessage: payment.result_message }),
    ...(payment.decline_class && { declineClass: payment.decline_class }),
    ...merchantFieldsIn(payment),
    ...(payment.last_operation && { lastOperation: operationRecord(payment.last_operation, payment) }),
    ...datesOf(payment),
    ...refundsOf(payment),
    livemode: isLive(payment.merchant_id),
  };
}

/** The order's price as the merchant sent it, and what was charged for it where the merchant sent that, too. */
function amountsOf({
  amount_minor,
  order_amount_minor,
  currency_exponent,
}: ShownPayment): Pick<ApiPaymentResponse, "amount" | "installmentTotal"> {
  const charged = amountToJson(amount_minor, currency_exponent);
  if (order_amount_minor === null) return { amount: charged };
  return { amount: amountToJson(order_amount_minor, currency_exponent), installmentTotal: charged };
}

/** CAPTURED and CANCELLED are final, so `state_since` is the time of the capture or the cancellation. */
function datesOf({
  state,
  state_since,
  last_operation,
}: ShownPayment): Pick<ApiPaymentResponse, "capturedAt" | "cancelledAt" | "cancelReason"> {
  const at = state_since.toISOString();
  return {
    ...(state === "CAPTURED" && { capturedAt: at }),
    ...(state === "CANCELLED" && { cancelledAt: at, ...cancelReasonOf(last_operation) }),
  };
}

/** A payment that expired, or whose 3-D Secure was abandoned, was cancelled by nobody. */
function cancelReasonOf(operation: ShownPayment["last_operation"]): Pick<ApiPaymentResponse, "cancelReason"> {
  const isCancel = operation?.kind === "CANCEL" && operation.status === "DONE";
  return isCancel && operation.reason !== null ? { cancelReason: operation.reason } : {};
}

/**
 * The amounts that refunds have paid back and may still pay back, and that chargebacks have taken; releases
 * are refunds, too.
 */
function refundsOf(payment: ShownPayment): RefundTotals {
  const { state, currency_exponent, released_minor = 0n, reserved_minor = 0n, refunded_minor = 0n } = payment;
  const { charged_back_minor = 0n } = payment;
  const gone = released_minor + refunded_minor;
  if (gone + reserved_minor + charged_back_minor === 0n) return {};
  const isRefundable = state === "SUCCESS" || state === "CAPTURED";
  const refundable = refundableMinor({
    ...payment,
    released_minor,
    reserved_minor,
    refunded_minor,
    charged_back_minor,
  });
  return {
    refundedAmount: amountToJson(gone, currency_exponent),
    pendingRefundAmount: amountToJson(reserved_minor, currency_exponent),
    ...(charged_back_minor > 0n && {
      chargedBackAmount: amountToJson(charged_back_minor, currency_exponent),
    }),
    refundableAmount: amountToJson(isRefundable ? refundable : 0n, currency_exponent),
  };
}

type RefundTotals = Pick<
  ApiPaymentResponse,
  "refundedAmount" | "pendingRefundAmount" | "chargedBackAmount" | "refundableAmount"
>;

function operationRecord(
  { kind, status, amount_minor, result_code, at }: ShownOperation,
  { currency_exponent }: ShownPayment,
): LastOperation {
  return {
    type: kind,
    status,
    amount: amountToJson(amount_minor, currency_exponent),
    ...(result_code !== null && { resultCode: result_code }),
    at: at.toISOString(),
  };
}

/** The exact bytes of a webhook about the payment as it is now. */
export function webhookBody(payment: ShownPayment): Buffer {
  return Buffer.from(JSON.stringify(paymentRecord(payment)));
}
