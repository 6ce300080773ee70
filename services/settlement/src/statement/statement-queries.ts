import { sql, type Kysely, type RawBuilder } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { VOIDED_BY_REFUND } from "../facts/voided-by-refund.ts";

/** A day of a merchant in one currency. Minor units; an amount that the merchant pays back is negative. */
export type StatementRow = {
  merchant_id: string;
  /** `2026-11-20` */
  day: string;
  currency: string;
  sales: bigint;
  refunds: bigint;
  chargebacks: bigint;
  /** Lines that differ, and whose amounts people have accepted. */
  adjustments: bigint;
  commission: bigint;
  bank_fees: bigint;
  lines: number;
  /** Lines whose payment's commission is not known yet. */
  unknown_commissions: number;
  /** True if the day is over, everything up to it is reported, and no difference of it is open. */
  complete: boolean;
  /** The latest recorded revision, if it has these amounts. */
  revision: number | null;
};

/** A statement with its content, and the movements that it waits for. */
export type StatementContent = StatementRow & {
  /** SHA-256 of the statement's lines in order, with each one's counted amounts. */
  digest: Buffer;
  /** True if the day is not over, or a movement up to it has not been reported. */
  is_awaited: boolean;
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

/** Chargebacks, and lines whose amount and state equal our records. */
const AGREES = sql`line.fact_id is not null and (line.verdict in ('MATCHED', 'FEE_DIFFERS', 'LATE')
  or (line.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') and line.verdict is distinct from 'DUPLICATE'))`;
/** A line that differs counts as an adjustment once people have accepted the bank's amount, and for as long as it differs. */
const IS_ADJUSTMENT = sql`(line.decision is not distinct from 'ACCEPT_BANK' and (${AGREES}) is not true)`;
/** Everything else waits for its difference, or is not ours. */
const COUNTS = sql`((${AGREES}) or line.decision = 'ACCEPT_BANK')`;
/**
 * The bank has paid more or less than was done here, so the commission is in proportion. Other adjustments
 * have no commission.
 */
const IS_PRICED = sql`(not ${IS_ADJUSTMENT} or line.verdict = 'AMOUNT_DIFFERS')`;

/**
 * A fact's commission: a refund has its part of the payment's, given back unless the payment's plan said otherwise.
 * Parts are differences of rounded running sums, so that the parts of a fully refunded payment are its commission to
 * the minor unit.
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

/**
 * A line of the day that is not compared yet, or that differs and is undecided: it may come to count. An
 * unreadable line may, too; if it does not name its merchant, it may belong to any merchant of the account.
 */
const IS_UNDECIDED = sql`(exists (
  select from line
  where ${DAY} = stated.day and line.merchant_id = stated.merchant_id and line.currency = stated.currency
    and (line.verdict is null
      or line.verdict in ('AMOUNT_DIFFERS', 'STATUS_DIFFERS', 'MISSING_HERE') and line.decision is null))
  or exists (
  select from difference as unread
  where unread.class = 'UNREADABLE' and unread.state in ('OPEN', 'PROPOSED')
    and stated.day between unread.first_day and unread.last_day
    and stated.currency = coalesce(unread.currency, stated.currency)
    and (unread.merchant_id = stated.merchant_id or unread.merchant_id is null and exists (
      select from merchant_account as theirs
      where theirs.account_id = unread.account_id and theirs.merchant_id = stated.merchant_id))))`;

/** The day of a movement, by the clock of its account. */
const FACT_DAY = sql`(fact.occurred_at at time zone coalesce(account.time_zone, 'UTC'))::date`;

/**
 * Movements that no line has reported, with their account. A movement before an account's first file is never
 * reported, and one that people have closed is no longer awaited.
 */
const FROM_UNREPORTED = sql`from fact left join account using (account_id)
  where fact.standing = 'DONE' and not fact.reported and not ${VOIDED_BY_REFUND}
    and fact.occurred_at > (select min(compared_since) from account) - interval '2 days'
    and ${FACT_DAY} >= coalesce(account.compared_since, '-infinity')
    and not exists (select from difference where difference.fact_id = fact.fact_id and difference.state = 'CLOSED')`;

/**
 * The time at which a day has ended by the clock of every account: before, something may still happen that gets a line
 * of the day.
 */
export const endOfDay = (day: RawBuilder<unknown>): RawBuilder<Date> => sql<Date>`(
  select coalesce(max((${day} + 1)::timestamp at time zone coalesce(time_zone, 'UTC')), (${day} + 1)::timestamp at time zone 'UTC')
  from account)`;

/** The day is not over, or a movement up to the day is unreported: its line may be of the day. */
const IS_AWAITED = sql`(${endOfDay(sql`stated.day`)} > now() or exists (
  select ${FROM_UNREPORTED}
    and fact.merchant_id = stated.merchant_id and fact.currency = stated.currency
    and fact.occurred_at < stated.day + interval '2 days' and ${FACT_DAY} <= stated.day))`;

/** The first day from which on every statement awaits the bank; undefined if all is reported. */
export async function readFirstAwaited(
  db: Kysely<SettlementDatabase>,
  { merchantId, currency }: { merchantId: string; currency: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ day: string }>`
    select ${FACT_DAY}::text as day ${FROM_UNREPORTED}
      and fact.merchant_id = ${merchantId} and fact.currency = ${currency}
    order by fact.occurred_at limit 1`.execute(db);
  return rows[0]?.day;
}

/** The latest recorded revision, if its amounts equal the statement's. */
const REVISION = sql`(
  select recorded.revision from statement join statement_revision as recorded using (statement_id, revision)
  where statement.day = stated.day and statement.merchant_id = stated.merchant_id and statement.currency = stated.currency
    and (sales_minor, refunds_minor, chargebacks_minor, adjustments_minor, commission_minor, bank_fees_minor, recorded.lines, 0)
      = (stated.sales, stated.refunds, stated.chargebacks, stated.adjustments, stated.commission, stated.bank_fees, stated.lines,
        stated.unknown_commissions))`;

/** The digest of a statement's lines, with the counted amounts of each. */
const DIGEST = sql`sha256(convert_to(coalesce(string_agg(
  concat_ws(' ', import_id, line_no, gross_minor, fee_minor, case when not is_chargeback then share end,
    case when is_adjustment then 'adjustment' end),
  E'\\n' order by import_id, line_no) filter (where line_no is not null), ''), 'UTF8'))`;

/** One statement; undefined if no line counts, and none has counted in a revision of it. */
export async function readStatement(
  db: Kysely<SettlementDatabase>,
  { day, merchantId, currency }: { day: string; merchantId: string; currency: string },
): Promise<StatementContent | undefined> {
  const filter = { from: day, to: day, merchantId, currency, limit: 1 };
  const { rows } = await readStatements<StatementContent>(filter, { withContent: true }).execute(db);
  return rows[0];
}

/**
 * Statements by day, merchant and currency. A statement that was complete and no longer has a line that
 * counts appears with zeros. A payment's commission is spread over its lines, such as installments, by the
 * running sum of the bank's payouts: the last one makes it whole, and a void takes it back.
 */
export function readStatements<Row extends StatementRow = StatementRow>(
  filter: StatementFilter,
  { withContent = false }: { withContent?: boolean } = {},
): RawBuilder<Row> {
  const { limit } = filter;
  return sql<Row>`
    with shown as materialized (
      select line.fact_id, line.import_id, line.line_no from line
      where ${isMeant(filter, "line", DAY)} and line.merchant_id is not null and ${COUNTS}
    ), commissions as materialized (
      select fact.fact_id, ${COMMISSION} as commission, case when fact.kind = 'REFUND' then -amount_minor else amount_minor end as amount
      from fact where fact.fact_id in (select fact_id from shown)
    ), summed as (
      select line.import_id, line.line_no, line.kind, line.merchant_id, line.currency, line.gross_minor, line.fee_minor,
        ${DAY} as day, ${IS_ADJUSTMENT} as is_adjustment, ${IS_PRICED} as is_priced,
        commissions.commission, commissions.amount,
        sum(case when line.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') or not ${IS_PRICED} then 0 else line.gross_minor end)
          over (partition by line.fact_id order by line.import_id, line.line_no) as running
      from commissions cross join lateral (
        -- By the index on the fact: soon after an import the planner does not know how many lines there are.
        select * from line where line.fact_id = commissions.fact_id and ${COUNTS} offset 0
      ) as line
    ), priced as (
      select summed.*, kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') as is_chargeback,
        case when is_priced then
          round(commission * running / amount::numeric) - round(commission * (running - gross_minor) / amount::numeric)
        else 0 end as share
      from summed
    ), counted as (
      select day, merchant_id, currency, import_id, line_no, kind, is_chargeback, is_adjustment, gross_minor, fee_minor, share
      from priced join shown using (import_id, line_no)
      union all
      select ${DAY}, merchant_id, currency, import_id, line_no, kind, false, true, gross_minor, fee_minor, 0
      from line join shown using (import_id, line_no)
      where line.fact_id is null
      union all
      select day, merchant_id, currency, null, null, null, false, false, 0, 0, 0 from statement
      where revision > 0 and ${isMeant(filter, "statement", sql`statement.day`)}
    ), stated as (
    select merchant_id, counted.day, currency,
      coalesce(sum(gross_minor) filter (where kind <> 'REFUND' and not is_chargeback and not is_adjustment), 0)::bigint as sales,
      coalesce(sum(gross_minor) filter (where kind = 'REFUND' and not is_adjustment), 0)::bigint as refunds,
      coalesce(sum(gross_minor) filter (where is_chargeback and not is_adjustment), 0)::bigint as chargebacks,
      coalesce(sum(gross_minor) filter (where is_adjustment), 0)::bigint as adjustments,
      coalesce(sum(share) filter (where not is_chargeback), 0)::bigint as commission,
      sum(fee_minor)::bigint as bank_fees, count(line_no)::int as lines,
      (count(*) filter (where share is null and not is_chargeback))::int as unknown_commissions
      ${withContent ? sql`, ${DIGEST} as digest` : sql``}
    from counted
    group by merchant_id, counted.day, currency
    order by counted.day, merchant_id, currency
    limit ${limit}
    )
    select merchant_id, day::text as day, currency, sales, refunds, chargebacks, adjustments, commission, bank_fees, lines,
      unknown_commissions,
      unknown_commissions = 0 and not ${IS_UNDECIDED} and not ${IS_AWAITED} as complete,
      ${REVISION} as revision ${withContent ? sql`, digest, ${IS_AWAITED} as is_awaited` : sql``}
    from stated order by stated.day, merchant_id, currency`;
}

/** Rows of a table that has a merchant and a currency, and this day. */
function isMeant(
  { from, to, merchantId, currency, after }: StatementFilter,
  table: "line" | "statement",
  day: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [theirs, its] = [sql.ref(`${table}.merchant_id`), sql.ref(`${table}.currency`)];
  return sql`${day} between ${from}::date and ${to}::date
    ${merchantId === undefined ? sql`` : sql`and ${theirs} = ${merchantId}`}
    ${currency === undefined ? sql`` : sql`and ${its} = ${currency}`}
    ${after === undefined ? sql`` : sql`and (${day}, ${theirs}, ${its}) > (${after.day}::date, ${after.merchantId}::uuid, ${after.currency})`}`;
}
