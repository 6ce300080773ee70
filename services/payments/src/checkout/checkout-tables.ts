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
  three_ds: boolean;
  success_url: string;
  failure_url: string;
  credential_issued_by: string | null;
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
};
