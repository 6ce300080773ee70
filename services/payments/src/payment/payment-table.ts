import type { DeclineClass } from "@holdfast/contracts";
import type { Generated } from "kysely";
import type { PaymentState } from "./payment.ts";

export type PaymentTable = {
  payment_id: string;
  merchant_id: string;
  transaction_type: "PRE_AUTHORIZATION" | "PAYMENT";
  state: PaymentState;
  version: number;
  state_since: Generated<Date>;
  order_id: string;
  customer_id: string | null;
  /** The amount that the card is charged. */
  amount_minor: bigint;
  /** The order's price, where the merchant has sent the charged amount beside it. */
  order_amount_minor: bigint | null;
  currency: string;
  currency_exponent: number;
  installment_count: number;
  commission_minor: bigint;
  request_ip: string;
  request_port: number;
  card_holder_name: string;
  masked_pan: string;
  pan_fingerprint: Buffer | null;
  pan_fingerprint_key_id: string;
  dom_int: "DOM" | "INT" | null;
  card_scheme: string | null;
  card_type: string | null;
  card_sub_type: string | null;
  loyalty_code: string | null;
  external_transaction_id: string | null;
  auth_code: string | null;
  result_code: string | null;
  result_message: string | null;
  decline_class: DeclineClass | null;
  captured_minor: Generated<bigint>;
  released_minor: Generated<bigint>;
  reserved_minor: Generated<bigint>;
  refunded_minor: Generated<bigint>;
  charged_back_minor: Generated<bigint>;
  operation_id: string | null;
  authorization_expires_at: Date | null;
  traceparent: string | null;
  credential_issued_by: string | null;
  account_id: string;
  claims_order: boolean | null;
  refunds_commission: boolean;
  lease_token: string | null;
  lease_until: Date | null;
  recover_at: Date | null;
  recovery_from: Date | null;
  recovery_attempts: Generated<number>;
  last_inquiry: string | null;
  notified_at: Date | null;
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

/** The room's part of the schema; `database.ts` composes them. */
export type PaymentTables = {
  payment: PaymentTable;
  payment_history: PaymentHistoryTable;
};
