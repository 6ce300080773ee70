import { sql, type RawBuilder, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import type { LineRange } from "../match/attach-statements.ts";

/**
 * Queues, for `payments`, refunds of these facts that the bank reports and that were not made here, such as
 * those in the bank's panel. They are lines that name a payment and no refund of ours, and lines of refunds
 * that failed here. They count against the payment until an operator decides about them, since the bank has
 * taken the money. A payment that is not known to be done may itself be the payment that such a line gives
 * back. A line that credits the merchant takes nothing from the payment.
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

/**
 * Queues the lines of a range that name a payment only by the bank's name, as iyzico's panel does. All
 * refunds of a payment have that name. The same line in another file is a copy, and an equal line in the same
 * file is another refund.
 */
export function reportRefundsByName({ importId, from, to }: LineRange): RawBuilder<unknown> {
  return sql`
    insert into chargeback_report (line_id, import_id, line_no, payment_id)
    select encode(sha256(convert_to(jsonb_build_array(named.fact_id, line.item, line.gross_minor, line.currency,
        line.transacted_at, line.settles_on, line.payout_id, (
          select count(*) from line as before
          where before.import_id = line.import_id and before.line_no < line.line_no and before.kind = line.kind
            and before.reference_id is null and before.bank_reference = line.bank_reference
            and (before.item, before.gross_minor, before.currency, before.transacted_at)
              is not distinct from (line.item, line.gross_minor, line.currency, line.transacted_at)))::text, 'UTF8')), 'hex'),
      line.import_id, line.line_no, named.fact_id
    from line cross join lateral (
      select case when count(*) = 1 then min(fact_id::text)::uuid end as fact_id from fact
      where fact.external_transaction_id = line.bank_reference and fact.account_id = line.account_id
        and fact.kind <> 'REFUND' and fact.standing = 'DONE'
    ) as named
    where line.import_id = ${importId} and line.line_no between ${from} and ${to} and line.kind = 'REFUND'
      and line.reference_id is null and line.fact_id is null and line.verdict = 'MISSING_HERE' and line.gross_minor < 0
      and named.fact_id is not null
    order by line.line_no
    on conflict do nothing`;
}
