import { createHash } from "node:crypto";
import { sql, type RawBuilder, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { copiesAmong, type ChargebackEntry } from "./copies-among.ts";

type Trx = Transaction<SettlementDatabase>;
type Row = ChargebackEntry & { import_id: string; line_no: number; payment_id: string; is_reported: boolean };

/**
 * Queues, for `payments`, chargebacks with a known payment, in the transaction that finds the payment. A copy
 * of a queued line is a difference for an operator.
 *
 * @param these the lines that were attached in this transaction, as a condition on `line`.
 */
export async function reportChargebacks(trx: Trx, these: RawBuilder<unknown>): Promise<void> {
  const rows = await readChargebacks(trx, these);
  const byPayment = Map.groupBy(rows, ({ payment_id }) => payment_id);
  const judged = [...byPayment.values()].flatMap((entries) => copiesAmong(entries));
  const added = judged.filter(({ entry, round }) => !entry.is_reported && round !== undefined);
  if (judged.every(({ entry }) => entry.is_reported)) return;
  await sql`
    insert into chargeback_report (line_id, import_id, line_no, payment_id)
    select * from unnest(${added.map(({ entry, round }) => lineId(entry, round!))}::text[],
      ${added.map(({ entry }) => entry.import_id)}::uuid[], ${added.map(({ entry }) => entry.line_no)}::int[],
      ${added.map(({ entry }) => entry.payment_id)}::uuid[])
    on conflict do nothing`.execute(trx);
  // Another process may have queued a copy meanwhile, too.
  await sql`
    with copies as (
      update line set verdict = 'DUPLICATE'
      where ${these} and ${IS_CHARGEBACK} and line.verdict is distinct from 'DUPLICATE'
        and not exists (
          select from chargeback_report as report
          where report.import_id = line.import_id and report.line_no = line.line_no)
      returning line.import_id, line.line_no, line.account_id, line.gross_minor, line.currency
    )
    insert into difference (account_id, class, import_id, line_no, amount_minor, theirs_minor, currency, detail)
    select account_id, 'DUPLICATE', import_id, line_no, abs(gross_minor), gross_minor, currency,
      'an earlier line reports the same chargeback; if it is another one, open a case'
    from copies
    on conflict do nothing`.execute(trx);
}

const IS_CHARGEBACK = sql`line.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') and line.fact_id is not null
  and line.gross_minor <> 0`;

/**
 * These lines and the queued ones of the same payments, in the order of their arrival. The identity has
 * everything that two copies of a line share, without the settlement day, which a bank shifts.
 */
async function readChargebacks(trx: Trx, these: RawBuilder<unknown>): Promise<Row[]> {
  const { rows } = await sql<Row>`
    with these as (
      select line.fact_id, line.import_id, line.line_no from line where ${these} and ${IS_CHARGEBACK}
    )
    select line.import_id, line.line_no, line.fact_id as payment_id, line.kind, line.item, line.currency,
      abs(line.gross_minor) as "amountMinor", line.settles_on::text as "settlesOn", line.payout_id as "payoutId",
      report.line_id is not null as is_reported,
      jsonb_build_array(line.account_id, line.fact_id, line.kind, line.bank_reference, line.item, line.installment,
        line.gross_minor, line.currency, line.transacted_at)::text as identity
    from line left join chargeback_report as report using (import_id, line_no)
    where line.fact_id in (select fact_id from these) and ${IS_CHARGEBACK}
      and (report.line_id is not null or (line.import_id, line.line_no) in (select import_id, line_no from these))
    order by report.line_id is null, (select created_at from import where import.import_id = line.import_id),
      line.import_id, line.line_no`.execute(trx);
  return rows;
}

function lineId({ identity }: ChargebackEntry, round: number): string {
  return createHash("sha256")
    .update(JSON.stringify([identity, round]))
    .digest("hex");
}
