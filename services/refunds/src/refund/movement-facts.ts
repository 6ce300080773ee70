import type { CommandReply, MovementFact } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { RefundRow } from "./refund-record.ts";

/**
 * The facts of these refunds' movements of money, for the comparison with the bank's files. Unknown refunds are left
 * out, and so are those that were never shown.
 */
export async function readRefundFacts(
  db: Kysely<RefundsDatabase>,
  ids: string[],
): Promise<CommandReply<{ facts: MovementFact[] }>> {
  const rows = await db
    .selectFrom("refund")
    .selectAll()
    .where("refund_id", "in", ids)
    .where("state", "!=", "RESERVING")
    .execute();
  return { outcome: "done", result: { facts: rows.map(refundFact) } };
}

export function refundFact(row: RefundRow): MovementFact {
  if (row.order_id === null || row.masked_pan === null) throw new Error("a refund without its payment");
  return {
    id: row.refund_id,
    parentId: row.payment_id,
    merchantId: row.merchant_id,
    kind: "REFUND",
    standing: factStatusOf(row),
    amountMinor: `${row.amount_minor}`,
    currency: row.currency,
    occurredAt: row.state_since.toISOString(),
    version: row.version,
    orderId: row.order_id,
    maskedPan: row.masked_pan,
    ...(row.external_transaction_id !== null && { externalTransactionId: row.external_transaction_id }),
    ...(row.auth_code !== null && { authCode: row.auth_code }),
  };
}

/** The amount of a release was never collected, so the bank has nothing to report. */
export function factStatusOf({ state, kind }: Pick<RefundRow, "state" | "kind">): MovementFact["standing"] {
  switch (state) {
    case "RESERVING":
    case "PENDING_APPROVAL":
    case "EXECUTING":
      return "OPEN";
    case "SETTLING":
    case "SUCCESS":
      return kind === "release" ? "NOT_DONE" : "DONE";
    case "FAILING":
    case "FAILED":
    case "REJECTING":
    case "REJECTED":
      return "NOT_DONE";
    default:
      return state satisfies never;
  }
}
