import { PAYMENT_SETTLEMENT_MAX, type CommandReply, type PaymentSettlement } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { differencesOf } from "./list-differences.ts";
import { readBankLines } from "./read-bank-lines.ts";

/**
 * The lines of the banks' files about a payment and its refunds: by the movements that we know, each line by its index.
 */
export async function answerPaymentSettlement(
  db: Kysely<SettlementDatabase>,
  paymentId: string,
): Promise<CommandReply<PaymentSettlement>> {
  const facts = await db
    .selectFrom("fact")
    .select("fact_id")
    .where((where) => where.or([where("fact_id", "=", paymentId), where("parent_id", "=", paymentId)]))
    .orderBy("fact_id")
    .limit(PAYMENT_SETTLEMENT_MAX)
    .execute();
  if (facts.length === 0) return { outcome: "done", result: { lines: [], differences: [], more: false } };
  const ids = facts.map(({ fact_id }) => fact_id);
  const lines = await readBankLines(db, sql`line.fact_id = any(${ids}::uuid[])`);
  const differences = await differencesOf(db, ids, PAYMENT_SETTLEMENT_MAX + 1);
  return {
    outcome: "done",
    result: {
      lines: lines
        .slice(0, PAYMENT_SETTLEMENT_MAX)
        .map((line) => ({ ...line, movementId: line.movementId! })),
      differences: differences.slice(0, PAYMENT_SETTLEMENT_MAX),
      more: Math.max(lines.length, differences.length) > PAYMENT_SETTLEMENT_MAX,
    },
  };
}
