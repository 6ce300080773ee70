import { sql, type RawBuilder, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";

type Trx = Transaction<SettlementDatabase>;

/**
 * The parts that two copies of a line have in common, as in the migration that began with it: a bank that writes a line
 * twice, or a day's file again, has taken the money once. The day of settlement is left out, because a bank shifts it.
 */
const LINE_ID = sql`encode(sha256(convert_to(jsonb_build_array(line.account_id, line.fact_id, line.kind, line.bank_reference,
  line.item, line.installment, line.gross_minor, line.currency, line.transacted_at)::text, 'UTF8')), 'hex')`;

const IS_CHARGEBACK = sql`line.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL')`;

/**
 * Queues chargebacks whose payment is known for payments, in the transaction that finds it. A copy of a line that is
 * queued already is a difference, and counts nowhere.
 *
 * @param these which lines were attached in this transaction, as a condition on `line`.
 */
export async function reportChargebacks(trx: Trx, these: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into chargeback_report (line_id, import_id, line_no, payment_id)
    select ${LINE_ID}, line.import_id, line.line_no, line.fact_id from line
    where ${these} and ${IS_CHARGEBACK} and line.fact_id is not null and line.gross_minor <> 0
    order by line.import_id, line.line_no
    on conflict do nothing`.execute(trx);
  await sql`
    with copies as (
      update line set verdict = 'DUPLICATE'
      where ${these} and ${IS_CHARGEBACK} and line.fact_id is not null and line.gross_minor <> 0
        and line.verdict is distinct from 'DUPLICATE'
        and not exists (
          select from chargeback_report as report
          where report.import_id = line.import_id and report.line_no = line.line_no)
      returning line.import_id, line.line_no, line.account_id, line.gross_minor, line.currency
    )
    insert into difference (account_id, class, import_id, line_no, amount_minor, currency, detail)
    select account_id, 'DUPLICATE', import_id, line_no, abs(gross_minor), currency,
      'an earlier line reports the same chargeback'
    from copies
    on conflict do nothing`.execute(trx);
}
