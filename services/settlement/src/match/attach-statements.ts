import { sql, type RawBuilder } from "kysely";

/** Lines `from` to `to` of an import that no fact is known for yet. */
export type LineRange = { importId: string; from: number; to: number };

const inRange = ({ importId, from, to }: LineRange) =>
  sql`line.import_id = ${importId} and line.line_no between ${from} and ${to} and line.fact_id is null
    and line.kind in ('SALE', 'CAPTURE', 'REFUND', 'VOID')`;

/** Facts of refunds report refunds, and those of payments everything else. */
const SAME_SIDE = sql`fact.account_id = line.account_id and (fact.kind = 'REFUND') = (line.kind = 'REFUND')`;

/**
 * The ways in which a line names a fact, the surest first. A way that finds more than one fact finds none: to guess is
 * worse than a difference that somebody looks at.
 */
export const ATTACH: readonly ((range: LineRange) => RawBuilder<unknown>)[] = [
  // Our reference.
  (range) => sql`
    update line set fact_id = fact.fact_id from fact
    where ${inRange(range)} and fact.fact_id = line.reference_id and ${SAME_SIDE}`,
  // The bank's reference, where it shows none of ours.
  (range) => sql`
    update line set fact_id = found.fact_id
    from (
      select line.line_no, min(fact.fact_id::text)::uuid as fact_id
      from line join fact on fact.external_transaction_id = line.bank_reference and ${SAME_SIDE}
      where ${inRange(range)} and line.reference_id is null
      group by line.line_no having count(*) = 1
    ) as found
    where line.import_id = ${range.importId} and line.line_no = found.line_no`,
  // A refund under its payment's reference: the bank has none for refunds. The first of equal amounts is the first refund.
  (range) => sql`
    update line set fact_id = found.fact_id
    from (
      select asked.line_no, fact.fact_id
      from (
        select line_no, account_id, reference_id, -gross_minor as amount_minor, currency,
          row_number() over (partition by reference_id, gross_minor order by line_no) as nth
        from line where ${inRange(range)} and kind = 'REFUND' and reference_id is not null
      ) as asked
      join lateral (
        select fact_id, row_number() over (order by occurred_at, fact_id) as nth from fact
        where fact.parent_id = asked.reference_id and fact.account_id = asked.account_id
          and fact.amount_minor = asked.amount_minor and fact.currency = asked.currency
          and fact.standing <> 'NOT_DONE' and not fact.reported
      ) as fact using (nth)
    ) as found
    where line.import_id = ${range.importId} and line.line_no = found.line_no`,
  // Authorization code, amount, card and day, of what no line reports yet.
  (range) => sql`
    update line set fact_id = found.fact_id
    from (
      select line.line_no, min(fact.fact_id::text)::uuid as fact_id
      from line
      join account on account.account_id = line.account_id
      join fact on fact.auth_code = line.auth_code and fact.amount_minor = abs(line.gross_minor)
        and fact.currency = line.currency and fact.masked_pan = line.masked_pan
        and (fact.occurred_at at time zone account.time_zone)::date = line.transacted_at::date
        and not fact.reported and ${SAME_SIDE}
      where ${inRange(range)} and line.reference_id is null
      group by line.line_no having count(*) = 1
    ) as found
    where line.import_id = ${range.importId} and line.line_no = found.line_no`,
];

/** What lines report is to be compared. */
export function markReported({ importId, from, to }: LineRange): RawBuilder<unknown> {
  return sql`
    update fact set reported = true, judge = true
    where fact_id in (select fact_id from line where import_id = ${importId} and line_no between ${from} and ${to})`;
}

/** Lines that report a movement and name none of ours, and lines that report no movement. */
export function judgeUnattached({ importId, from, to }: LineRange): RawBuilder<unknown> {
  return sql`
    with judged as (
      update line set verdict = case when kind in ('SALE', 'CAPTURE', 'REFUND', 'VOID') then 'MISSING_HERE' else 'NOT_COMPARED' end
      where import_id = ${importId} and line_no between ${from} and ${to} and fact_id is null and verdict is null
      returning import_id, line_no, account_id, verdict, gross_minor, currency
    )
    insert into difference (account_id, class, import_id, line_no, amount_minor, currency, detail)
    select account_id, verdict, import_id, line_no, abs(gross_minor), currency, 'no payment or refund of ours is named'
    from judged where verdict = 'MISSING_HERE'
    on conflict do nothing`;
}
