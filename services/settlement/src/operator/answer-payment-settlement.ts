import { PAYMENT_SETTLEMENT_MAX, type CommandReply, type PaymentSettlement } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { VOIDED_BY_REFUND } from "../facts/voided-by-refund.ts";
import { differencesOf } from "./list-differences.ts";
import { readBankLines } from "./read-bank-lines.ts";

/** Our own record, and the day by the bank's clock until which a file should report it. */
type Fact = { fact_id: string; is_awaited: boolean; expected_by: string | null };

/**
 * The lines of the banks' files about a payment and its refunds: by the movements that we know, each line by its index.
 */
export async function answerPaymentSettlement(
  db: Kysely<SettlementDatabase>,
  paymentId: string,
): Promise<CommandReply<PaymentSettlement>> {
  const { rows: facts } = await sql<Fact>`
    select fact_id, standing = 'DONE' and not reported and verdict is null and not ${VOIDED_BY_REFUND} as is_awaited,
      case when occurred_at >= compared_since::timestamp at time zone time_zone
        then to_char((occurred_at at time zone time_zone)::date + settlement_days, 'YYYY-MM-DD') end as expected_by
    from fact left join account using (account_id)
    where fact_id = ${paymentId} or parent_id = ${paymentId}
    order by fact_id limit ${PAYMENT_SETTLEMENT_MAX}`.execute(db);
  if (facts.length === 0)
    return { outcome: "done", result: { lines: [], differences: [], awaited: [], more: false } };
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
      awaited: facts
        .filter(({ is_awaited }) => is_awaited)
        .map(({ fact_id, expected_by }) => ({
          movementId: fact_id,
          ...(expected_by !== null && { expectedBy: expected_by }),
        })),
      more: Math.max(lines.length, differences.length) > PAYMENT_SETTLEMENT_MAX,
    },
  };
}
