import type { CommandReply, FeedPlace, MovementFact, MovementPage } from "@holdfast/contracts";
import { readMovements, type MovementTable } from "@holdfast/lists";
import { sql, type Kysely } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { RefundRow } from "./refund-record.ts";

const MOVEMENTS: MovementTable<RefundRow> = {
  name: "refund",
  id: "refund_id",
  history: "refund_history",
  columns: sql`refund.*`,
};

/** The refunds' movements of money, for the comparison with the banks' files. */
export async function readRefundMovements(
  db: Kysely<RefundsDatabase>,
  asked: { after?: FeedPlace | undefined },
): Promise<CommandReply<MovementPage>> {
  return await readMovements(db, MOVEMENTS, asked, refundFact);
}

/** @returns undefined for a refund whose amount is not reserved yet: it was never shown, and may be removed. */
function refundFact(row: RefundRow): MovementFact | undefined {
  if (row.state === "RESERVING") return undefined;
  if (row.account_id === null || row.order_id === null || row.masked_pan === null)
    throw new Error("a refund without its payment");
  return {
    id: row.refund_id,
    parentId: row.payment_id,
    accountId: row.account_id,
    merchantId: row.merchant_id,
    kind: "REFUND",
    standing: factStatusOf(row),
    amountMinor: `${row.amount_minor}`,
    currency: row.currency,
    occurredAt: row.state_since.toISOString(),
    version: row.version,
    orderId: row.order_id,
    maskedPan: row.masked_pan,
    ...(row.as_void && isDone(row) && { voids: true as const }),
    ...(row.external_transaction_id !== null && { externalTransactionId: row.external_transaction_id }),
    ...(row.auth_code !== null && { authCode: row.auth_code }),
  };
}

function isDone({ state }: Pick<RefundRow, "state">): boolean {
  return state === "SETTLING" || state === "SUCCESS";
}

/**
 * The amount of a release was never collected, and a void is the payment's, so the bank has no refund to report. A refund
 * that waits for people was never sent.
 */
function factStatusOf({ state, kind, as_void }: RefundRow): MovementFact["standing"] {
  switch (state) {
    case "RESERVING":
    case "EXECUTING":
      return "OPEN";
    case "SETTLING":
    case "SUCCESS":
      return kind === "release" || as_void ? "NOT_DONE" : "DONE";
    case "PENDING_APPROVAL":
    case "FAILING":
    case "FAILED":
    case "REJECTING":
    case "REJECTED":
      return "NOT_DONE";
    default:
      return state satisfies never;
  }
}
