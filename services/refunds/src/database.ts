import type { AuditDatabase } from "@holdfast/audit";
import type { IdempotencyKeyTable } from "@holdfast/idempotency";
import type { OutboxTable } from "@holdfast/outbox";
import type { Generated } from "kysely";
import type { RefundState } from "./refund/refund.ts";

/** Tables of the schema `refunds`; a test compares them with the migrations. */
export type RefundsDatabase = AuditDatabase & {
  refund: RefundTable;
  refund_history: RefundHistoryTable;
  refund_approval: RefundApprovalTable;
  refund_resolution: RefundResolutionTable;
  outbox: OutboxTable;
  idempotency_key: IdempotencyKeyTable;
};

export type RefundTable = {
  refund_id: string;
  payment_id: string;
  merchant_id: string;
  state: Generated<RefundState>;
  version: number;
  state_since: Generated<Date>;
  amount_minor: bigint;
  currency: string;
  currency_exponent: number;
  requested_by: string | null;
  request_reason: string | null;
  credential_issued_by: string | null;
  kind: "refund" | "release" | null;
  account_id: string | null;
  order_id: string | null;
  customer_id: string | null;
  installment_count: number | null;
  card_holder_name: string | null;
  masked_pan: string | null;
  dom_int: "DOM" | "INT" | null;
  card_scheme: string | null;
  card_type: string | null;
  card_sub_type: string | null;
  loyalty_code: string | null;
  rejected_by: string | null;
  rejection_reason: string | null;
  external_transaction_id: string | null;
  auth_code: string | null;
  result_code: string | null;
  result_message: string | null;
  traceparent: string | null;
  lease_token: string | null;
  lease_until: Date | null;
  recover_at: Date | null;
  recovery_attempts: Generated<number>;
  last_inquiry: string | null;
  notified_at: Generated<Date | null>;
  bank_reference: string | null;
  approved_minor: bigint | null;
  approved_currency: string | null;
  as_void: Generated<boolean>;
  approvals_required: number | null;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};

export type RefundHistoryTable = {
  refund_id: string;
  version: number;
  from_state: RefundState;
  to_state: RefundState;
  cause: string;
  at: Generated<Date>;
  xact_id: Generated<string>;
};

export type RefundApprovalTable = {
  refund_id: string;
  approved_by: string;
  note: string | null;
  at: Generated<Date>;
  request_id: string;
};

export type RefundResolutionTable = {
  refund_id: string;
  outcome: "SUCCESS" | "FAILED";
  evidence: string;
  proposed_by: string;
  proposed_at: Generated<Date>;
};
