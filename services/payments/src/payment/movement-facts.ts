import type { CommandReply, MovementFact } from "@holdfast/contracts";
import type { Kysely, Selectable } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import type { PaymentTable } from "./payment-table.ts";

/**
 * SQL of what an event of the outbox says for the settlement service (`SettlingTerms`), which then need not ask. Both
 * sides never change once a payment is final.
 */
export const SETTLING_TERMS = `(
  select ${settlingTermsOf("payment")} from payment where payment.payment_id = outbox.payment_id)`;

/** The same over a row of payments that is named otherwise. */
export function settlingTermsOf(row: string): string {
  return `json_strip_nulls(json_build_object('accountId', coalesce(${row}.account_id::text, 'default'),
    'commissionMinor', ${row}.commission_minor::text, 'refundsCommission', ${row}.refunds_commission))`;
}

type FactRow = Pick<Selectable<PaymentTable>, (typeof COLUMNS)[number]>;

const COLUMNS = [
  "payment_id",
  "merchant_id",
  "account_id",
  "transaction_type",
  "state",
  "version",
  "state_since",
  "amount_minor",
  "captured_minor",
  "commission_minor",
  "refunds_commission",
  "currency",
  "order_id",
  "masked_pan",
  "external_transaction_id",
  "auth_code",
] as const satisfies (keyof PaymentTable)[];

/**
 * The facts of these payments' movements of money, for the comparison with the bank's files; unknown ones are left out.
 */
export async function readPaymentFacts(
  db: Kysely<PaymentsDatabase>,
  ids: string[],
): Promise<CommandReply<{ facts: MovementFact[] }>> {
  const rows = await db.selectFrom("payment").select(COLUMNS).where("payment_id", "in", ids).execute();
  return { outcome: "done", result: { facts: rows.map(paymentFact) } };
}

export function paymentFact(row: FactRow): MovementFact {
  const standing = factStatusOf(row);
  const isCapture = row.transaction_type === "PRE_AUTHORIZATION";
  return {
    id: row.payment_id,
    accountId: row.account_id ?? "default",
    merchantId: row.merchant_id,
    kind: isCapture ? "CAPTURE" : "SALE",
    standing,
    amountMinor: `${row.state === "CAPTURED" ? row.captured_minor : row.amount_minor}`,
    commissionMinor: `${row.commission_minor}`,
    refundsCommission: row.refunds_commission,
    currency: row.currency,
    occurredAt: row.state_since.toISOString(),
    version: row.version,
    orderId: row.order_id,
    maskedPan: row.masked_pan,
    ...(row.external_transaction_id !== null && { externalTransactionId: row.external_transaction_id }),
    ...(row.auth_code !== null && { authCode: row.auth_code }),
  };
}

/** A cancelled sale that was never approved has no authorization code: nothing of it was voided. */
export function factStatusOf({
  state,
  transaction_type,
  auth_code,
}: Pick<FactRow, "state" | "transaction_type" | "auth_code">): MovementFact["standing"] {
  switch (state) {
    case "ENROLLING":
    case "ENROLLED":
    case "AUTHORIZING":
    case "REVERSING":
    case "CANCELLING":
      return "OPEN";
    case "SUCCESS":
      return transaction_type === "PAYMENT" ? "DONE" : "OPEN";
    case "CAPTURED":
      return "DONE";
    case "CANCELLED":
      return transaction_type === "PAYMENT" && auth_code !== null ? "VOIDED" : "NOT_DONE";
    case "FAILED":
    case "REJECTED":
      return "NOT_DONE";
    default:
      return state satisfies never;
  }
}
