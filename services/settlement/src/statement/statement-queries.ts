import { sql, type RawBuilder } from "kysely";

/** A day of a merchant in one currency. Minor units; what the merchant pays back is negative. */
export type StatementRow = {
  merchant_id: string;
  /** `2026-11-20` */
  day: string;
  currency: string;
  sales: bigint;
  refunds: bigint;
  chargebacks: bigint;
  commission: bigint;
  bank_fees: bigint;
  lines: number;
  /** Lines whose payment's commission is not known yet. */
  unknown_commissions: number;
  /** Whether everything up to this day is reported, and nothing of this day is open. */
  complete: boolean;
};

export type StatementFilter = {
  from: string;
  to: string;
  merchantId?: string | undefined;
  currency?: string | undefined;
  after?: { day: string; merchantId: string; currency: string } | undefined;
  limit: number;
};

/** The day that the bank settles a line, or the day that it happened where the bank does not say. */
const DAY = sql`coalesce(line.settles_on, line.transacted_at::date)`;

/** Chargebacks, and lines whose amount and state are the ones we know; everything else waits for its difference. */
export const COUNTS = sql`line.fact_id is not null and (line.verdict in ('MATCHED', 'FEE_DIFFERS', 'LATE')
  or (line.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') and line.verdict is distinct from 'DUPLICATE'))`;

/**
 * What a fact's commission is: of a refund its part of the payment's, given back unless the payment's plan said otherwise. Parts are differences of rounded running
 * sums, so that the parts of a payment that was refunded whole are its commission to the minor unit.
 */
const COMMISSION = sql`
  case when fact.kind <> 'REFUND' then fact.commission_minor else (
    select case when parent.refunds_commission is false then 0 else round(parent.commission_minor * before.minor / parent.amount_minor::numeric)
      - round(parent.commission_minor * (before.minor + fact.amount_minor) / parent.amount_minor::numeric) end
    from fact as parent, lateral (
      select coalesce(sum(earlier.amount_minor), 0) as minor from fact as earlier
      where earlier.parent_id = fact.parent_id and earlier.standing = 'DONE'
        and (earlier.occurred_at, earlier.fact_id) < (fact.occurred_at, fact.fact_id)
    ) as before
    where parent.fact_id = fact.parent_id
  ) end`;

/** A line of the day that is not compared yet, or whose difference nobody has decided: it may come to be counted. */
const IS_UNDECIDED = sql`exists (
  select from line
  where ${DAY} = stated.day and line.merchant_id = stated.merchant_id and line.currency = stated.currency
    and line.kind in ('SALE', 'CAPTURE', 'REFUND', 'VOID')
    and (line.verdict is null or line.verdict in ('AMOUNT_DIFFERS', 'STATUS_DIFFERS') and exists (
      select from difference where difference.fact_id = line.fact_id and difference.state in ('OPEN', 'PROPOSED'))))`;

/**
 * Something that moved money up to the day, by the account's clock, that no line has reported: its line may be of the day.
 * What happened before an account's first file is never reported, and what people have closed is awaited no longer.
 */
const IS_AWAITED = sql`exists (
  select from fact left join account using (account_id)
  where fact.merchant_id = stated.merchant_id and fact.currency = stated.currency
    and fact.standing = 'DONE' and not fact.reported
    and fact.occurred_at < stated.day + interval '2 days'
    and fact.occurred_at > (select min(compared_since) from account) - interval '2 days'
    and (fact.occurred_at at time zone coalesce(account.time_zone, 'UTC'))::date
      between coalesce(account.compared_since, '-infinity') and stated.day
    and not exists (select from difference where difference.fact_id = fact.fact_id and difference.state = 'CLOSED'))`;

/**
 * Statements by day, merchant and currency. A payment's commission is spread over its lines, such as installments, by the
 * running sum of what the bank paid: the last one makes it whole, and a void takes it back.
 */
export function readStatements(filter: StatementFilter): RawBuilder<StatementRow> {
  const { from, to, merchantId, currency, after, limit } = filter;
  return sql<StatementRow>`
    with shown as materialized (
      select line.fact_id, line.import_id, line.line_no from line
      where ${DAY} between ${from}::date and ${to}::date and line.merchant_id is not null and ${COUNTS}
        ${merchantId === undefined ? sql`` : sql`and line.merchant_id = ${merchantId}`}
        ${currency === undefined ? sql`` : sql`and line.currency = ${currency}`}
        ${after === undefined ? sql`` : sql`and (${DAY}, line.merchant_id, line.currency) > (${after.day}::date, ${after.merchantId}::uuid, ${after.currency})`}
    ), commissions as materialized (
      select fact.fact_id, ${COMMISSION} as commission, case when fact.kind = 'REFUND' then -amount_minor else amount_minor end as amount
      from fact where fact.fact_id in (select fact_id from shown)
    ), summed as (
      select line.import_id, line.line_no, line.kind, line.merchant_id, line.currency, line.gross_minor, line.fee_minor,
        ${DAY} as day, commissions.commission, commissions.amount,
        sum(case when line.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') then 0 else line.gross_minor end)
          over (partition by line.fact_id order by line.import_id, line.line_no) as running
      from commissions cross join lateral (
        -- By the index on the fact: soon after an import the planner does not know how many lines there are.
        select * from line where line.fact_id = commissions.fact_id and ${COUNTS} offset 0
      ) as line
    ), priced as (
      select summed.*, kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') as is_chargeback,
        round(commission * running / amount::numeric) - round(commission * (running - gross_minor) / amount::numeric) as share
      from summed
    ), stated as (
    select merchant_id, priced.day, currency,
      coalesce(sum(gross_minor) filter (where kind <> 'REFUND' and not is_chargeback), 0)::bigint as sales,
      coalesce(sum(gross_minor) filter (where kind = 'REFUND'), 0)::bigint as refunds,
      coalesce(sum(gross_minor) filter (where is_chargeback), 0)::bigint as chargebacks,
      coalesce(sum(share) filter (where not is_chargeback), 0)::bigint as commission,
      sum(fee_minor)::bigint as bank_fees, count(*)::int as lines,
      (count(*) filter (where commission is null and not is_chargeback))::int as unknown_commissions
    from priced join shown using (import_id, line_no)
    group by merchant_id, priced.day, currency
    order by priced.day, merchant_id, currency
    limit ${limit}
    )
    select merchant_id, day::text as day, currency, sales, refunds, chargebacks, commission, bank_fees, lines,
      unknown_commissions,
      unknown_commissions = 0 and not ${IS_UNDECIDED} and not ${IS_AWAITED} as complete
    from stated order by stated.day, merchant_id, currency`;
}
