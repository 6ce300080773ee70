import { sql, type Kysely, type RawBuilder } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { VOIDED_BY_REFUND } from "../facts/voided-by-refund.ts";
import { attachRange } from "./attach-range.ts";
import type { LineRange } from "./attach-statements.ts";
import { judgePayouts, notePayouts } from "../payout/judge-payouts.ts";
import { judgeFacts } from "./judge-facts.ts";

export type MatchDeps = {
  db: Kysely<SettlementDatabase>;
  /** Has the facts here that lines name and no feed brings yet. @returns false if the lines have to wait for them. */
  readNamed: (range: LineRange) => Promise<boolean>;
};

/**
 * Compares imported lines with our records: first each line finds its fact, then each fact is judged with all
 * of its lines. Every step may be repeated, so a process that dies leaves only work for the next one. An
 * import waits until all facts that the owners had committed at its end are here: otherwise a line could be
 * called unknown.
 */
export async function matchImports(deps: MatchDeps, isStopping: () => boolean): Promise<void> {
  const imports = await deps.db
    .selectFrom("import")
    .select(["import_id"])
    .where("state", "=", "TAKEN")
    .where("matched_at", "is", null)
    .where("ended_at", "<=", (from) =>
      from.selectFrom("feed").select(({ fn }) => fn.min("complete_at").as("at")),
    )
    .orderBy("ended_at")
    .limit(10)
    .execute();
  for (const { import_id } of imports) {
    const ranges = await rangesOf(deps.db, import_id);
    if (!(await forEach(ranges, isStopping, (range) => attachLines(deps, range)))) break;
    const days = await daysOf(deps.db, ranges);
    const isDone = await forEach(ranges, isStopping, async (range) => {
      await askAboutUnread(deps.db, range, days);
      await notePayouts(deps.db, range);
    });
    await judgeAll(deps, isStopping);
    if (!isDone || isStopping()) return;
    await deps.db
      .updateTable("import")
      .set({ matched_at: sql`now()` })
      .where("import_id", "=", import_id)
      .execute();
  }
  await judgeAll(deps, isStopping);
  await findMissing(deps);
  await judgePayouts(deps.db, isStopping);
}

/** The lines of an import, read or not, in parts that a statement is done with in time. */
export async function rangesOf(db: MatchDeps["db"], importId: string): Promise<LineRange[]> {
  const { rows } = await sql<{ last: number | null }>`
    select greatest((select max(line_no) from line where import_id = ${importId}),
      (select max(line_no) from line_fault where import_id = ${importId})) as last`.execute(db);
  const count = Math.ceil((rows[0]?.last ?? 0) / LINES_AT_A_TIME);
  return Array.from({ length: count }, (_, index) => {
    const from = index * LINES_AT_A_TIME + 1;
    return { importId, from, to: from + LINES_AT_A_TIME - 1 };
  });
}

const LINES_AT_A_TIME = 1_000;

/** Does one range after the other. @returns whether all are done. */
async function forEach(
  ranges: readonly LineRange[],
  isStopping: () => boolean,
  work: (range: LineRange) => Promise<unknown>,
): Promise<boolean> {
  for (const range of ranges) {
    if (isStopping() || (await work(range)) === false) return false;
  }
  return true;
}

async function attachLines({ db, readNamed }: MatchDeps, range: LineRange): Promise<boolean> {
  if (!(await readNamed(range))) return false;
  await attachRange(db, range);
  return true;
}

/** The days of a file, for its unreadable lines. Nearly always there are none. */
async function daysOf(db: MatchDeps["db"], ranges: readonly LineRange[]): Promise<Days> {
  const days: Days = { first: null, last: null };
  const importId = ranges[0]?.importId ?? null;
  const unread = await db
    .selectFrom("line_fault")
    .select("line_no")
    .where("import_id", "=", importId)
    .limit(1)
    .execute();
  if (unread.length === 0) return days;
  for (const { from, to } of ranges) {
    const { rows } = await sql<Days>`
      select min(coalesce(settles_on, transacted_at::date))::text as first,
        max(coalesce(settles_on, transacted_at::date))::text as last
      from line where import_id = ${importId} and line_no between ${from} and ${to}`.execute(db);
    const { first, last } = rows[0]!;
    if (first !== null && (days.first === null || first < days.first)) days.first = first;
    if (last !== null && (days.last === null || last > days.last)) days.last = last;
  }
  return days;
}

type Days = { first: string | null; last: string | null };

/**
 * Opens a difference for each unreadable line, since it may be money. It affects the statement of the payment
 * that the line names, on its day. Otherwise it affects the statements of all merchants of the account, on
 * all days of the file.
 */
async function askAboutUnread(
  db: MatchDeps["db"],
  { importId, from, to }: LineRange,
  { first, last }: Days,
): Promise<void> {
  await sql`
    insert into difference (account_id, class, import_id, line_no, amount_minor, theirs_minor, currency, merchant_id, first_day,
      last_day, detail)
    select import.account_id, 'UNREADABLE', unread.import_id, unread.line_no, unread.stake_minor, unread.gross_minor,
      unread.currency,
      (select fact.merchant_id from fact where fact.fact_id = unread.reference_id),
      -- No statement waits for a payout.
      case when unread.kind is distinct from 'PAYOUT' then coalesce(unread.day, ${first}::date) end,
      case when unread.kind is distinct from 'PAYOUT' then coalesce(unread.day, ${last}::date) end,
      'not readable: ' || unread.reason
    from line_fault as unread join import using (import_id)
    where unread.import_id = ${importId} and unread.line_no between ${from} and ${to} and not exists (
      select from difference as earlier
      where earlier.import_id = unread.import_id and earlier.line_no = unread.line_no)
    on conflict do nothing`.execute(db);
}

async function judgeAll({ db }: MatchDeps, isStopping: () => boolean): Promise<void> {
  let after: string | undefined = BEFORE_ALL;
  while (after !== undefined && !isStopping())
    after = await judgeFacts(db, { after, limit: FACTS_AT_A_TIME });
}

const FACTS_AT_A_TIME = 1_000;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

/** Opens a difference for each fact that no line reports although its account has settled by now. */
async function findMissing({ db }: MatchDeps): Promise<void> {
  const missing = missingAtBank(FACTS_AT_A_TIME, sql`for update skip locked`);
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      with missing as (${missing}), found as (
        update fact set verdict = 'MISSING_AT_BANK' where fact_id in (select fact_id from missing)
        returning fact_id, account_id, kind, amount_minor, currency, merchant_id
      )
      insert into difference (account_id, class, fact_id, amount_minor, ours_minor, currency, detail, merchant_id)
      select account_id, 'MISSING_AT_BANK', fact_id, amount_minor,
        case kind when 'REFUND' then -amount_minor else amount_minor end, currency, 'no line of a bank''s file reports it', merchant_id
      from found
      on conflict do nothing`.execute(db);
    if (numAffectedRows < BigInt(FACTS_AT_A_TIME)) return;
  }
}

/**
 * SQL of the ids of facts that no line reports although they are older than their account takes to settle.
 * Nothing is expected of accounts without a file, nor from before the first file's first day. The query goes
 * from the few accounts to their facts by the index on time, whatever the statistics say.
 */
export function missingAtBank(limit: number, lock = sql``): RawBuilder<unknown> {
  return sql`
    select theirs.fact_id from account cross join lateral (
      select fact_id from fact
      where fact.account_id = account.account_id and standing = 'DONE' and not reported and verdict is null
        and not ${VOIDED_BY_REFUND}
        and occurred_at >= account.compared_since::timestamp at time zone account.time_zone
        and occurred_at < (date_trunc('day', now() at time zone account.time_zone)
          - account.settlement_days * interval '1 day') at time zone account.time_zone
      order by occurred_at limit ${limit} ${lock}
    ) as theirs
    where account.compared_since is not null
    limit ${limit}`;
}
