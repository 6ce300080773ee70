import { sql, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";

/**
 * Queues for payments refunds of these facts that the bank reports and that were not made here, such as those in the
 * bank's panel: lines that name a payment and no refund of ours, and lines of refunds that failed here. They count
 * against the payment until people say what they are, since the bank has taken the money. A payment that is not known to
 * be done may be the one that such a line gives back. A line that gives the merchant money takes none from the payment.
 */
export async function reportUnknownRefunds(
  trx: Transaction<SettlementDatabase>,
  factIds: readonly string[],
): Promise<void> {
  await sql`
    insert into chargeback_report (line_id, import_id, line_no, payment_id)
    select encode(sha256(convert_to(import_id || ' ' || line_no, 'UTF8')), 'hex'), import_id, line_no, payment_id
    from (
      select line.*, fact.fact_id as payment_id
      from fact join line on line.reference_id = fact.fact_id and line.fact_id is null
      where fact.fact_id = any(${[...factIds]}::uuid[]) and fact.account_id = line.account_id
        and fact.kind <> 'REFUND' and fact.standing = 'DONE' and line.verdict = 'MISSING_HERE'
      union all
      select line.*, fact.parent_id from fact join line on line.fact_id = fact.fact_id
      where fact.fact_id = any(${[...factIds]}::uuid[])
        and fact.kind = 'REFUND' and fact.standing = 'NOT_DONE' and not fact.voids and line.verdict = 'STATUS_DIFFERS'
    ) as unknown
    where kind = 'REFUND' and gross_minor < 0
    order by import_id, line_no
    on conflict do nothing`.execute(trx);
}
