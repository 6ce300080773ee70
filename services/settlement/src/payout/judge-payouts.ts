import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import type { LineRange } from "../match/attach-statements.ts";
import { judgePayout, type PayoutJudgement, type PayoutSides } from "./judge-payout.ts";

/** Has the payouts compared again that lines of a range name, or report. May be repeated. */
export async function notePayouts(
  db: Kysely<SettlementDatabase>,
  { importId, from, to }: LineRange,
): Promise<void> {
  await sql`
    insert into payout (account_id, payout_id, currency)
    select distinct account_id, payout_id, currency from line
    where import_id = ${importId} and line_no between ${from} and ${to} and payout_id is not null
    order by account_id, payout_id, currency
    on conflict (account_id, payout_id, currency) do update set judge = true where not payout.judge`.execute(
    db,
  );
}

/**
 * Compares payouts with the lines that they pay: the marked ones, and those of which one side is overdue.
 * Lines count with the bank's amounts, whatever our records say about their movements; copies of lines do not
 * count. A payout may cover a whole file, so each has a transaction of its own.
 */
export async function judgePayouts(db: Kysely<SettlementDatabase>, isStopping: () => boolean): Promise<void> {
  let isLast = false;
  while (!isLast && !isStopping()) {
    isLast = await db.transaction().execute(async (trx) => {
      const sides = await readDue(trx);
      if (sides) await record(trx, { ...sides, ...judgePayout(sides) });
      return !sides;
    });
  }
}

type Payout = PayoutSides & { account_id: string; payout_id: string; currency: string; due_on: string };

/** Reads a payout that is due and that no other process compares now. */
async function readDue(trx: Transaction<SettlementDatabase>): Promise<Payout | undefined> {
  const { rows } = await sql<Payout>`
    with due as (
      select account_id, payout_id, currency from (
        (select * from payout where judge limit ${CANDIDATES})
        union
        ${overduePayouts(CANDIDATES)}
      ) as found
      limit ${CANDIDATES}
    ), locked as (
      select payout.account_id, payout.payout_id, payout.currency from payout join due using (account_id, payout_id, currency)
      limit 1 for no key update of payout skip locked
    )
    ${bothSides("locked", IS_TAKEN)}`.execute(trx);
  return rows[0];
}

/** Reads the payouts that an import's lines name or report, with both sides as if the import counted; locks nothing. */
export async function readNamedPayouts(
  trx: Transaction<SettlementDatabase>,
  importId: string,
): Promise<Payout[]> {
  const { rows } = await sql<Payout>`
    with named as (
      select distinct account_id, payout_id, currency from line
      where import_id = ${importId} and payout_id is not null
    )
    ${bothSides("named", sql`(line.import_id = ${importId} or ${IS_TAKEN})`)}`.execute(trx);
  return rows;
}

/** Both sides of payouts, from the lines that count. @param payouts the table of their accounts, ids and currencies. */
function bothSides(payouts: "locked" | "named", counts: RawBuilder<unknown>): RawBuilder<unknown> {
  const payout = sql.table(payouts);
  return sql`
    select ${payout}.*, sums.lines, sums.expected, sums.payouts, sums.paid, sums.due_on::text as due_on,
      coalesce(sums.due_on between account.payouts_since and ${LAST_DUE_DAY}, false) as "isOverdue"
    from ${payout} join account using (account_id) cross join lateral (
      select (count(*) filter (where kind <> 'PAYOUT'))::int as lines,
        coalesce(sum(net_minor) filter (where kind <> 'PAYOUT'), 0)::bigint as expected,
        (count(*) filter (where kind = 'PAYOUT'))::int as payouts,
        coalesce(sum(net_minor) filter (where kind = 'PAYOUT'), 0)::bigint as paid,
        max(coalesce(settles_on, transacted_at::date + account.settlement_days)) as due_on
      from line
      where line.account_id = ${payout}.account_id and line.payout_id = ${payout}.payout_id
        and line.currency = ${payout}.currency
        and (line.verdict is distinct from 'DUPLICATE' or line.decision is not distinct from 'ACCEPT_BANK')
        and ${counts}
    ) as sums`;
}

/** SQL on a row of `line`. */
const IS_TAKEN = sql`(select state = 'TAKEN' from import where import.import_id = line.import_id)`;

/** One of these is free, unless as many processes compare payouts. */
const CANDIDATES = 20;

/** The day whose payouts have to be there by now, by the account's clock. */
const LAST_DUE_DAY = sql`((now() at time zone account.time_zone)::date - account.payout_days - 1)`;

/** SQL of payouts of which one side is overdue and that are not judged yet, at most `limit` of each account. */
export function overduePayouts(limit: number): RawBuilder<unknown> {
  return sql`
    select theirs.* from account cross join lateral (
      select * from payout
      where payout.account_id = account.account_id and verdict is null and not judge
        and due_on between account.payouts_since and ${LAST_DUE_DAY}
      order by due_on limit ${limit}
    ) as theirs
    where account.payouts_since is not null`;
}

async function record(
  trx: Transaction<SettlementDatabase>,
  {
    account_id,
    payout_id,
    currency,
    due_on,
    verdict,
    stakeMinor,
    oursMinor,
    theirsMinor,
    detail,
  }: Payout & PayoutJudgement,
): Promise<void> {
  const given = sql`(values (${account_id}::text, ${payout_id}::text, ${currency}::text, ${due_on}::date, ${verdict}::text,
    ${stakeMinor}::bigint, ${oursMinor}::bigint, ${theirsMinor}::bigint, ${detail}::text))
    as given(account_id, payout_id, currency, due_on, verdict, stake, ours, theirs, detail)`;
  const isSame = (table: string) => sql`${sql.ref(`${table}.account_id`)} = given.account_id
    and ${sql.ref(`${table}.payout_id`)} = given.payout_id and ${sql.ref(`${table}.currency`)} = given.currency`;
  await sql`
    update payout set judge = false, due_on = given.due_on, verdict = given.verdict
    from ${given} where ${isSame("payout")}`.execute(trx);
  await sql`
    update difference set state = 'RESOLVED', ended_at = now()
    from ${given}
    where ${isSame("difference")} and state in ('OPEN', 'PROPOSED')
      and (class, amount_minor) is distinct from (given.verdict, given.stake)`.execute(trx);
  await sql`
    insert into difference (account_id, class, payout_id, amount_minor, ours_minor, theirs_minor, currency, first_day, last_day,
      detail)
    select account_id, verdict, payout_id, stake, ours, theirs, currency, due_on, due_on, detail from ${given}
    where verdict <> 'MATCHED' and not exists (
      select from difference as earlier
      where ${isSame("earlier")} and earlier.state <> 'RESOLVED' and earlier.class = given.verdict
        and earlier.amount_minor = given.stake)
    on conflict do nothing`.execute(trx);
}
