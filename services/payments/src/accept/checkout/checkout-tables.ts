import type { SealedDetails } from "@holdfast/contracts";
import type { Generated, JSONColumnType } from "kysely";
import type { CheckoutState } from "./checkout.ts";

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
  installment_prices: Generated<boolean>;
  three_ds: boolean;
  /** Null if a payment link has no return URL. */
  success_url: string | null;
  failure_url: string | null;
  payment_link_id: string | null;
  credential_issued_by: string | null;
  buyer_text: string | null;
  sealed_details: JSONColumnType<SealedDetails> | null;
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
  first_installment_minor: bigint | null;
  further_installment_minor: bigint | null;
};

export type PaymentLinkTable = {
  payment_link_id: string;
  merchant_id: string;
  description: string;
  order_id: string;
  amount_minor: bigint;
  currency: string;
  currency_exponent: number;
  installment_options: number[];
  three_ds: boolean;
  return_url: string | null;
  single_use: boolean;
  credential_issued_by: string | null;
  taken_by: string | null;
  created_at: Generated<Date>;
  expires_at: Date;
  disabled_at: Date | null;
};

/** This folder's part of the schema; `database.ts` composes all parts. */
export type CheckoutTables = {
  checkout: CheckoutTable;
  checkout_payment: CheckoutPaymentTable;
  payment_link: PaymentLinkTable;
};
