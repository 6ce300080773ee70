import { sql, type RawBuilder } from "kysely";
import { VOIDED_BY_REFUND } from "../facts/voided-by-refund.ts";
import type { JudgedLine } from "./judge-fact.ts";

/** Lines `from` to `to` of an import that no fact is known for yet. */
export type LineRange = { importId: string; from: number; to: number };

const inRange = ({ importId, from, to }: LineRange) =>
  sql`line.import_id = ${importId} and line.line_no between ${from} and ${to} and line.fact_id is null
    and line.verdict is null and line.kind in ('SALE', 'CAPTURE', 'REFUND', 'VOID')`;

/** Lines of kind REFUND report refunds' facts, and all other lines report payments' facts. */
const SAME_SIDE = sql`fact.account_id = line.account_id and (fact.kind = 'REFUND') = (line.kind = 'REFUND')`;

const ONE_FACT = sql`case when count(*) = 1 then min(fact.fact_id::text)::uuid end`;

/** SQL on a row of `line`: the bank names a refund by its payment, so that all refunds of it have one name. */
const HAS_PAYMENTS_NAME = sql`(line.kind = 'REFUND' and exists (
  select from fact as named where named.fact_id = line.reference_id and named.kind <> 'REFUND'
    and named.external_transaction_id = line.bank_reference))`;

/**
 * SQL on two rows of `line`: they are about the same movement. The bank's names say so, whatever its amount. If
 * all refunds of a payment share one name, or have none, each line in one file is another refund, and a line in
 * another file that is alike in all that it says is a copy.
 */
const IS_COPY = sql`earlier.account_id = line.account_id and earlier.kind = line.kind
  and earlier.bank_reference is not distinct from line.bank_reference
  and (earlier.item, earlier.installment) is not distinct from (line.item, line.installment)
  and (line.bank_reference is not null and not ${HAS_PAYMENTS_NAME} or earlier.import_id <> line.import_id
    and (earlier.reference, earlier.auth_code, earlier.masked_pan, earlier.gross_minor, earlier.currency,
        earlier.transacted_at, earlier.settles_on, earlier.payout_id)
      is not distinct from (line.reference, line.auth_code, line.masked_pan, line.gross_minor, line.currency,
        line.transacted_at, line.settles_on, line.payout_id))`;

/** A line that reports a movement, with the fact that it names. */
export type NamingLine = JudgedLine & {
  line_no: number;
  reference_id: string | null;
  hasPaymentsName: boolean;
  fact_id: string | null;
};

/**
 * The lines of a range that report movements, each with the fact that it names. A line names a fact by our
 * reference; or, if the bank does not show it, by the bank's name; or else by authorization code, amount,
 * card and day. A way that finds several facts finds none, even if other lines report some of them: a guess
 * is worse than a difference for an operator. Facts are looked up line by line, by an index. The planner's
 * statistics do not know how many facts are unreported so soon after an import, and a join in the other order
 * would read all lines for each fact.
 */
export function readNamingLines(range: LineRange): RawBuilder<NamingLine> {
  return sql<NamingLine>`
    select line.line_no, line.reference_id, line.kind, line.reference, line.bank_reference as "bankReference", line.item,
      line.installment, line.installments, line.gross_minor as "grossMinor", line.fee_minor as "feeMinor",
      line.net_minor as "netMinor", line.currency, line.settles_on::text as "settlesOn",
      ${HAS_PAYMENTS_NAME} as "hasPaymentsName",
      case when line.reference_id is not null then
        (select fact.fact_id from fact where fact.fact_id = line.reference_id and ${SAME_SIDE})
      else coalesce(
        (select ${ONE_FACT} from fact where fact.external_transaction_id = line.bank_reference and ${SAME_SIDE}),
        (select ${ONE_FACT} from fact join account on account.account_id = fact.account_id
          where fact.auth_code = line.auth_code and fact.amount_minor = abs(line.gross_minor)
            and fact.currency = line.currency and fact.masked_pan = line.masked_pan
            and (fact.occurred_at at time zone account.time_zone)::date = line.transacted_at::date
            and ${SAME_SIDE}))
      end as fact_id
    from line where ${inRange(range)}
    order by line.line_no`;
}

/** The refunds that equal earlier lines report: a copy is never another refund of the payment. */
export function findCopies(
  range: LineRange,
  lineNos: readonly number[],
): RawBuilder<{ line_no: number; fact_id: string }> {
  return sql<{ line_no: number; fact_id: string }>`
    select line.line_no, copied.fact_id
    from line cross join lateral (
      select earlier.fact_id from fact join line as earlier on earlier.fact_id = fact.fact_id
      where fact.parent_id = line.reference_id and ${IS_COPY} limit 1
    ) as copied
    where line.import_id = ${range.importId} and line.line_no = any(${[...lineNos]}::int[])`;
}

/**
 * Finds refunds that a bank reports under their payment's reference. Of equal amounts the first line is the
 * first refund, and refunds that may be under way come after those that are done.
 *
 * @param lineNos lines whose reference is not a refund.
 */
export function findRefundsOfPayments(
  range: LineRange,
  lineNos: readonly number[],
): RawBuilder<{ line_no: number; fact_id: string }> {
  return sql<{ line_no: number; fact_id: string }>`
    select asked.line_no, fact.fact_id
    from (
      select line_no, account_id, reference_id, -gross_minor as amount_minor, currency,
        row_number() over (partition by reference_id, gross_minor order by line_no) as nth
      from line where import_id = ${range.importId} and line_no = any(${[...lineNos]}::int[])
    ) as asked
    join lateral (
      select fact_id, row_number() over (order by standing = 'OPEN', occurred_at, fact_id) as nth from fact
      where fact.parent_id = asked.reference_id and fact.account_id = asked.account_id
        and fact.amount_minor = asked.amount_minor and fact.currency = asked.currency
        and fact.standing in ('DONE', 'OPEN') and not fact.reported
    ) as fact using (nth)`;
}

/**
 * A payment that failed here, whose money the bank gives back by a refund because it was reversed after its
 * business day. The refund is less than the payment's amount if the bank had approved a part. The joint
 * judgement of the payment's lines decides whether it is all that the bank had charged.
 *
 * SQL on a row of `line` and one of `fact`.
 */
export const GIVEN_BACK = sql`line.kind = 'REFUND' and fact.kind <> 'REFUND'
  and (fact.standing in ('NOT_DONE', 'VOIDED') or ${VOIDED_BY_REFUND})
  and -line.gross_minor between 1 and fact.amount_minor and fact.currency = line.currency`;

/**
 * Lines of refunds that name a payment which was {@link GIVEN_BACK}. @param lineNos of lines whose refund is not known.
 */
export function findGivenBack(
  range: LineRange,
  lineNos: readonly number[],
): RawBuilder<{ line_no: number; fact_id: string }> {
  return sql<{ line_no: number; fact_id: string }>`
    select line.line_no, fact.fact_id
    from line join fact on fact.fact_id = line.reference_id and fact.account_id = line.account_id
    where line.import_id = ${range.importId} and line.line_no = any(${[...lineNos]}::int[]) and ${GIVEN_BACK}`;
}

/** The fact that a line reports, and the result of the comparison where it is known already. */
export type Attached = { lineNo: number; factId: string; merchantId: string; verdict: "MATCHED" | null };

/**
 * The lines are named again next to the join: for a file that was imported just now the planner has no statistics, and
 * it would read all of its lines for each range.
 */
export function attachLines(importId: string, attached: readonly Attached[]): RawBuilder<unknown> {
  const lineNos = attached.map(({ lineNo }) => lineNo);
  return sql`
    update line set fact_id = given.fact_id, merchant_id = given.merchant_id, verdict = given.verdict
    from unnest(${lineNos}::int[], ${attached.map(({ factId }) => factId)}::uuid[],
      ${attached.map(({ verdict }) => verdict)}::text[],
      ${attached.map(({ merchantId }) => merchantId)}::uuid[]) as given(line_no, fact_id, verdict, merchant_id)
    where line.import_id = ${importId} and line.line_no = any(${lineNos}::int[])
      and line.line_no = given.line_no`;
}

/**
 * Chargebacks of a payment that they name, by our reference or else by the bank's. They report no movement
 * that is compared, but count in the merchant's statement.
 */
export function attachChargebacks({ importId, from, to }: LineRange): RawBuilder<unknown> {
  return sql`
    update line set fact_id = found.fact_id, merchant_id = found.merchant_id, verdict = 'NOT_COMPARED'
    from (
      select line.line_no, named.* from line, lateral (
        select ${ONE_FACT} as fact_id, min(fact.merchant_id::text)::uuid as merchant_id from fact
        where ${SAME_SIDE} and (fact.fact_id = line.reference_id
          or line.reference_id is null and fact.external_transaction_id = line.bank_reference)
      ) as named
      where line.import_id = ${importId} and line.line_no between ${from} and ${to} and line.fact_id is null
        and line.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL')
    ) as found
    where line.import_id = ${importId} and line.line_no = found.line_no and found.fact_id is not null`;
}

/** Marks facts that lines report: each has either been compared with them, or is to be. */
export function markReported(facts: readonly { factId: string; matched: boolean }[]): RawBuilder<unknown> {
  return sql`
    update fact set reported = true, judge = not given.matched,
      verdict = case when given.matched then 'MATCHED' else fact.verdict end
    from unnest(${facts.map(({ factId }) => factId)}::uuid[], ${facts.map(({ matched }) => matched)}::boolean[])
      as given(fact_id, matched)
    where fact.fact_id = given.fact_id`;
}

/** The payment or refund that a line names, whether the line reports it or not: by our reference, else by the bank's. */
const NAMED = sql`coalesce(
  (select fact.merchant_id from fact where fact.fact_id = line.reference_id),
  (select case when count(*) = 1 then min(fact.merchant_id::text)::uuid end from fact
    where line.reference_id is null and fact.external_transaction_id = line.bank_reference))`;

/**
 * Lines that report a movement or a chargeback and name none of ours, with their copies, and lines that are about no
 * payment. A line that names a payment is its merchant's money, whatever it is: so is an adjustment of the bank's.
 */
export function judgeUnattached({ importId, from, to }: LineRange): RawBuilder<unknown> {
  return sql`
    with judged as (
      update line set merchant_id = named.merchant_id, verdict = case
        when kind in ('FEE', 'PAYOUT') or kind = 'ADJUSTMENT' and named.merchant_id is null then 'NOT_COMPARED'
        when exists (
          select from line as earlier
          where earlier.fact_id is null and earlier.reference_id = line.reference_id and ${IS_COPY}
            and (earlier.verdict is not null or earlier.import_id = line.import_id and earlier.line_no < line.line_no)
        ) then 'DUPLICATE'
        else 'MISSING_HERE' end
      from (
        select line.line_no, case when line.kind not in ('FEE', 'PAYOUT') then ${NAMED} end as merchant_id from line
        where line.import_id = ${importId} and line.line_no between ${from} and ${to} and line.fact_id is null
          and line.verdict is null
      ) as named
      where line.import_id = ${importId} and line.line_no between ${from} and ${to} and line.line_no = named.line_no
      returning line.import_id, line.line_no, account_id, verdict, gross_minor, currency, reference_id, line.merchant_id,
        coalesce(settles_on, transacted_at::date) as day
    )
    insert into difference (account_id, class, import_id, line_no, amount_minor, theirs_minor, currency, merchant_id, first_day,
      last_day, detail)
    select account_id, verdict, import_id, line_no, abs(gross_minor), gross_minor, currency, merchant_id, day, day, case
        when verdict = 'DUPLICATE' then 'an earlier line reports the same'
        when exists (select from fact where fact.fact_id = judged.reference_id and fact.account_id <> judged.account_id)
          then 'a payment or refund of another account is named'
        when merchant_id is not null then 'a payment is named, and nothing of ours is reported'
        else 'no payment or refund of ours is named' end
    from judged where verdict <> 'NOT_COMPARED'
    on conflict do nothing`;
}

/** Marks the payments that refunds name which were not made here: with the judgement of the payment each is reported. */
export function markPaymentsOfUnknownRefunds({ importId, from, to }: LineRange): RawBuilder<unknown> {
  return sql`
    update fact set judge = true
    where fact_id = any(array(
      select fact.fact_id from fact join (
        select distinct reference_id, account_id from line
        where import_id = ${importId} and line_no between ${from} and ${to} and fact_id is null
          and kind = 'REFUND' and verdict = 'MISSING_HERE' and reference_id is not null
      ) as named on named.reference_id = fact.fact_id and named.account_id = fact.account_id
      where fact.kind <> 'REFUND' and not fact.judge
      order by fact.fact_id for no key update of fact))`;
}
