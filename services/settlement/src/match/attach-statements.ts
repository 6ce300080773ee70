import { sql, type RawBuilder } from "kysely";

/** Lines `from` to `to` of an import that no fact is known for yet. */
export type LineRange = { importId: string; from: number; to: number };

const inRange = ({ importId, from, to }: LineRange) =>
  sql`line.import_id = ${importId} and line.line_no between ${from} and ${to} and line.fact_id is null
    and line.kind in ('SALE', 'CAPTURE', 'REFUND', 'VOID')`;

/** Facts of refunds report refunds, and those of payments everything else. */
const SAME_SIDE = sql`fact.account_id = line.account_id and (fact.kind = 'REFUND') = (line.kind = 'REFUND')`;

const ONE_FACT = sql`case when count(*) = 1 then min(fact.fact_id::text)::uuid end`;

/** Sets the fact that `found` looks up for each line of the range; `found` is a subquery with one value or none. */
const attach = (range: LineRange, which: RawBuilder<unknown>, found: RawBuilder<unknown>) => sql`
  update line set fact_id = found.fact_id
  from (select line_no, (${found}) as fact_id from line where ${inRange(range)} and ${which}) as found
  where line.import_id = ${range.importId} and line.line_no = found.line_no and found.fact_id is not null`;

/**
 * The ways in which a line names a fact, the surest first. A way that finds more than one fact finds none: to guess is
 * worse than a difference that somebody looks at. Facts are looked up line by line, by an index: how many of them are not
 * reported yet is what the planner's statistics know least, so soon after a file was taken, and a join in the other order
 * would read all lines for each fact.
 */
export const ATTACH: readonly ((range: LineRange) => RawBuilder<unknown>)[] = [
  // Our reference.
  (range) =>
    attach(
      range,
      sql`line.reference_id is not null`,
      sql`select fact.fact_id from fact where fact.fact_id = line.reference_id and ${SAME_SIDE}`,
    ),
  // The bank's reference, where it shows none of ours.
  (range) =>
    attach(
      range,
      sql`line.reference_id is null and line.bank_reference is not null`,
      sql`select ${ONE_FACT} from fact where fact.external_transaction_id = line.bank_reference and ${SAME_SIDE}`,
    ),
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
  (range) =>
    attach(
      range,
      sql`line.reference_id is null and line.auth_code is not null`,
      sql`
        select ${ONE_FACT} from fact join account on account.account_id = fact.account_id
        where fact.auth_code = line.auth_code and fact.amount_minor = abs(line.gross_minor)
          and fact.currency = line.currency and fact.masked_pan = line.masked_pan
          and (fact.occurred_at at time zone account.time_zone)::date = line.transacted_at::date
          and not fact.reported and ${SAME_SIDE}`,
    ),
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
