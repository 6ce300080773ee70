import type { CommandReply, FeedPlace, MovementFact, MovementPage } from "@holdfast/contracts";
import { readMovements, type MovementTable } from "@holdfast/lists";
import { sql, type Kysely, type Selectable } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import type { PaymentTable } from "./payment-table.ts";

type FactRow = Pick<Selectable<PaymentTable>, (typeof COLUMNS)[number]> & {
  /** The approval's time of a cancelled payment, which dates its lines. */
  approved_at: Date | null;
};

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

const MOVEMENTS: MovementTable<FactRow> = {
  name: "payment",
  id: "payment_id",
  history: "payment_history",
  moving: sql`to_state not in ('ENROLLING', 'ENROLLED', 'AUTHORIZING')`,
  columns: sql`${sql.join(COLUMNS.map((column) => sql.ref(`payment.${column}`)))},
    case when state = 'CANCELLED' then (
      select max(at) from payment_history as step
      where step.payment_id = payment.payment_id and to_state = 'SUCCESS') end as approved_at`,
};

/** The payments' movements of money, for the comparison with the banks' files. */
export async function readPaymentMovements(
  db: Kysely<PaymentsDatabase>,
  asked: { after?: FeedPlace | undefined },
): Promise<CommandReply<MovementPage>> {
  return await readMovements(db, MOVEMENTS, asked, paymentFact);
}

function paymentFact(row: FactRow): MovementFact {
  const standing = factStatusOf(row);
  const isCapture = row.transaction_type === "PRE_AUTHORIZATION";
  return {
    id: row.payment_id,
    accountId: row.account_id,
    merchantId: row.merchant_id,
    kind: isCapture ? "CAPTURE" : "SALE",
    standing,
    amountMinor: `${row.state === "CAPTURED" ? row.captured_minor : row.amount_minor}`,
    commissionMinor: `${row.commission_minor}`,
    refundsCommission: row.refunds_commission,
    currency: row.currency,
    occurredAt: (standing === "VOIDED"
      ? (row.approved_at ?? row.state_since)
      : row.state_since
    ).toISOString(),
    version: row.version,
    orderId: row.order_id,
    maskedPan: row.masked_pan,
    ...(row.external_transaction_id !== null && { externalTransactionId: row.external_transaction_id }),
    ...(row.auth_code !== null && { authCode: row.auth_code }),
  };
}

/** A cancelled sale that was never approved has no authorization code, and nothing was voided. */
function factStatusOf({
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
