import type { AuditDatabase } from "@holdfast/audit";
import type { IdempotencyKeyTable } from "@holdfast/idempotency";
import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { CheckoutState } from "./checkout/checkout.ts";
import type { OperationKind } from "./operation/payment-operation.ts";
import type { PaymentState } from "./payment/payment.ts";

/** Tables of the schema `payments`, as the migrations make them; a test compares the two. */
export type PaymentsDatabase = AuditDatabase & {
  payment: PaymentTable;
  payment_history: PaymentHistoryTable;
  outbox: OutboxTable;
  idempotency_key: IdempotencyKeyTable;
  payment_resolution: PaymentResolutionTable;
  payment_operation: PaymentOperationTable;
  refund_reservation: RefundReservationTable;
  bin_import: BinImportTable;
  bin_range: BinRangeTable;
  rule_counter: RuleCounterTable;
  rule_attempt: RuleAttemptTable;
  checkout: CheckoutTable;
  checkout_payment: CheckoutPaymentTable;
  three_ds_session: ThreeDsSessionTable;
};

export type PaymentTable = {
  payment_id: string;
  merchant_id: string;
  transaction_type: "PRE_AUTHORIZATION" | "PAYMENT";
  state: PaymentState;
  version: number;
  order_id: string;
  customer_id: string | null;
  amount_minor: bigint;
  currency: string;
  currency_exponent: number;
  installment_count: number;
  commission_minor: bigint;
  request_ip: string;
  request_port: number;
  card_holder_name: string;
  masked_pan: string;
  pan_fingerprint: Buffer;
  dom_int: "DOM" | "INT" | null;
  card_scheme: string | null;
  card_type: string | null;
  card_sub_type: string | null;
  loyalty_code: string | null;
  external_transaction_id: string | null;
  auth_code: string | null;
  result_code: string | null;
  result_message: string | null;
  captured_minor: Generated<bigint>;
  released_minor: Generated<bigint>;
  reserved_minor: Generated<bigint>;
  refunded_minor: Generated<bigint>;
  operation_id: string | null;
  traceparent: string | null;
  lease_token: string | null;
  lease_until: Date | null;
  recover_at: Date | null;
  recovery_from: Date | null;
  recovery_attempts: Generated<number>;
  last_inquiry: string | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

export type PaymentHistoryTable = {
  payment_id: string;
  version: number;
  from_state: PaymentState | null;
  to_state: PaymentState;
  cause: string;
  at: Generated<Date>;
  xact_id: Generated<string>;
};

export type OutboxTable = {
  event_id: Generated<string>;
  occurred_at: ColumnType<Date, never, never>;
  event_type: string;
  payment_id: string;
  merchant_id: string;
  status: string;
  body: Buffer;
  traceparent: string | null;
  xact_id: Generated<string>;
  confirmed_at: Date | null;
  publish_attempts: Generated<number>;
  publish_at: Date | null;
};

export type PaymentOperationTable = {
  operation_id: string;
  payment_id: string;
  kind: OperationKind;
  amount_minor: bigint;
  commission_minor: bigint;
  reason: string | null;
  state: "IN_FLIGHT" | "DONE" | "DECLINED" | "DROPPED";
  result_code: string | null;
  result_message: string | null;
  traceparent: string | null;
  created_at: Generated<Date>;
  finished_at: Date | null;
};

export type RefundReservationTable = {
  refund_id: string;
  payment_id: string;
  merchant_id: string | null;
  amount_minor: bigint;
  kind: "refund" | "release" | null;
  state: "ACTIVE" | "SETTLED" | "RELEASED" | "REFUSED";
  refusal: string | null;
  created_at: Generated<Date>;
  ended_at: Date | null;
};

export type BinImportTable = {
  version: ColumnType<number, never, never>;
  ranges: number;
  file_sha256: Buffer;
  imported_at: Generated<Date>;
};

export type BinRangeTable = {
  version: number;
  digits: number;
  bin_from: number;
  bin_to: number;
  card_scheme: string;
  card_type: "CREDIT" | "DEBIT" | "PREPAID";
  card_sub_type: string | null;
  issuer: string | null;
  country: string;
  loyalty_code: string | null;
  installments_max: number;
};

export type RuleCounterTable = {
  merchant_id: string;
  kind: "CARD" | "IP";
  subject: string;
  attempts: Date[];
  granted: number;
  attempts_max: number;
  window_seconds: number;
  expires_at: Date;
};

export type RuleAttemptTable = { merchant_id: string; attempted_at: Generated<Date>; payment_id: string };
export type CheckoutTable = {
  checkout_id: string;
  merchant_id: string;
  state: CheckoutState;
  transaction_type: "PRE_AUTHORIZATION" | "PAYMENT";
  order_id: string;
  customer_id: string | null;
  amount_minor: bigint;
  currency: string;
  currency_exponent: number;
  installment_options: number[];
  three_ds: boolean;
  success_url: string;
  failure_url: string;
  payment_id: string | null;
  attempts: Generated<number>;
  created_at: Generated<Date>;
  expires_at: Date;
  closed_at: Date | null;
};

export type CheckoutPaymentTable = {
  payment_id: string;
  checkout_id: string;
  attempt: number;
};

export type ThreeDsSessionTable = {
  payment_id: string;
  session_id: string;
  expires_at: Date;
  success_url: string;
  failure_url: string;
  page_url: string;
  acquirer_session: string | null;
  challenge_url: string | null;
  challenge_fields: JSONColumnType<Record<string, string>> | null;
  trans_status: string | null;
  eci: string | null;
  ds_trans_id: string | null;
  created_at: Generated<Date>;
};

export type PaymentResolutionTable = {
  payment_id: string;
  outcome: "SUCCESS" | "FAILED";
  evidence: string;
  proposed_by: string;
  proposed_at: Generated<Date>;
};
