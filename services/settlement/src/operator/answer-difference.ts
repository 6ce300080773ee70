import { PAYMENT_SETTLEMENT_MAX, type CommandReply, type DifferenceDetail } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import { amountIn } from "../amount-in.ts";
import type { SettlementDatabase } from "../database.ts";
import { describeDifference } from "./list-differences.ts";
import { readBankLines } from "./read-bank-lines.ts";

/** A difference with both sides: our record, and the bank's lines. A payout may have more lines than a page can show. */
export async function answerDifference(
  db: Kysely<SettlementDatabase>,
  differenceId: string,
): Promise<CommandReply<DifferenceDetail>> {
  const row = await db
    .selectFrom("difference")
    .leftJoin("import", "import.import_id", "difference.import_id")
    .select(["difference.fact_id", "difference.import_id", "difference.line_no", "import.file_name"])
    .where("difference_id", "=", differenceId)
    .executeTakeFirst();
  if (!row) return { outcome: "problem", code: "difference_not_found" };
  const { fact_id, import_id, line_no, file_name } = row;
  const line = sql`line.import_id = ${import_id} and line.line_no = ${line_no}`;
  const lines =
    fact_id === null && import_id === null
      ? []
      : await readBankLines(db, fact_id === null ? line : sql`line.fact_id = ${fact_id}`);
  // A copy names the movement that an earlier line has reported.
  const movement = fact_id ?? lines[0]?.movementId;
  const record = movement === undefined ? undefined : await readRecord(db, movement);
  return {
    outcome: "done",
    result: {
      ...(await describeDifference(db, differenceId)),
      ...(file_name !== null && { fileName: file_name }),
      ...(record && { record }),
      lines: lines.slice(0, PAYMENT_SETTLEMENT_MAX),
    },
  };
}

async function readRecord(
  db: Kysely<SettlementDatabase>,
  factId: string,
): Promise<DifferenceDetail["record"]> {
  const fact = await db.selectFrom("fact").selectAll().where("fact_id", "=", factId).executeTakeFirst();
  return (
    fact && {
      movementId: fact.fact_id,
      paymentId: fact.parent_id ?? fact.fact_id,
      kind: fact.kind,
      standing: fact.standing,
      orderId: fact.order_id,
      pan: fact.masked_pan,
      amount: amountIn(fact.amount_minor, fact.currency),
      currency: fact.currency,
      occurredAt: fact.occurred_at.toISOString(),
      ...(fact.external_transaction_id !== null && { bankReference: fact.external_transaction_id }),
      ...(fact.auth_code !== null && { authCode: fact.auth_code }),
    }
  );
}
