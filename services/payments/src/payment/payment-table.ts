import type { DeclineClass, MerchantFields } from "@holdfast/contracts";
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

/** The columns of a payment's first row, with the types of the arrays that carry them. */
export const PAYMENT_COLUMNS = [
  ["payment_id", "uuid"],
  ["merchant_id", "uuid"],
  ["transaction_type", "text"],
  ["lease_token", "uuid"],
  ["order_id", "text"],
  ["customer_id", "text"],
  ["amount_minor", "bigint"],
  ["order_amount_minor", "bigint"],
  ["currency", "text"],
  ["currency_exponent", "smallint"],
  ["installment_count", "smallint"],
  ["commission_minor", "bigint"],
  ["request_ip", "text"],
  ["request_port", "integer"],
  ["card_holder_name", "text"],
  ["masked_pan", "text"],
  ["pan_fingerprint", "bytea"],
  ["pan_fingerprint_key_id", "text"],
  ["dom_int", "text"],
  ["card_scheme", "text"],
  ["card_type", "text"],
  ["card_sub_type", "text"],
  ["loyalty_code", "text"],
  ["traceparent", "text"],
  ["credential_issued_by", "text"],
  ["account_id", "uuid"],
  ["claims_order", "boolean"],
  ["refunds_commission", "boolean"],
] as const satisfies [keyof PaymentTable, string][];

/** The merchant's own fields as they are stored. */
export function merchantColumns({ customerId }: MerchantFields): MerchantColumns {
  return { customer_id: customerId ?? null };
}

/** The merchant's own fields as they are shown, without empty ones. */
export function merchantFieldsIn({ customer_id }: MerchantColumns): MerchantFields {
  return { ...(customer_id !== null && { customerId: customer_id }) };
}

type MerchantColumns = Pick<PaymentTable, "customer_id">;

export type PaymentHistoryTable = {
  payment_id: string;
  version: number;
  from_state: PaymentState | null;
  to_state: PaymentState;
  cause: string;
  at: Generated<Date>;
  xact_id: Generated<string>;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type PaymentTables = {
  payment: PaymentTable;
  payment_history: PaymentHistoryTable;
};
