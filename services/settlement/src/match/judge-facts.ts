import { sql, type Kysely, type Transaction } from "kysely";
import { reportChargebacks } from "../chargeback/report-chargebacks.ts";
import { reportUnknownRefunds } from "../chargeback/report-unknown-refunds.ts";
import type { SettlementDatabase } from "../database.ts";
import { GIVEN_BACK } from "./attach-statements.ts";
import { isMovement, judgeFact, type Judgement, type JudgedLine, type LineVerdict } from "./judge-fact.ts";
import { lockFacts, type FactRow } from "./judged-facts.ts";

/**
 * Judges one page of marked facts, with all of their lines. Pages follow each other by the facts' ids: the
 * index entries of facts that were compared remain at its front until it is vacuumed.
 *
 * @returns the page's last fact; undefined if none is left.
 */
export async function judgeFacts(
  db: Kysely<SettlementDatabase>,
  { after, limit }: { after: string; limit: number },
): Promise<string | undefined> {
  // Nearly always there are no marked facts, and this is the only query.
  const marked = await readMarked(db, { after, limit });
  if (marked.length === 0) return undefined;
  await db.transaction().execute(async (trx) => {
    const locked = await lockFacts(trx, marked, { skipLocked: true });
    // A fact that another process has judged since is no longer marked.
    const facts = locked.filter(({ judge }) => judge);
    if (facts.length > 0) await judgeLocked(trx, facts);
  });
  return marked.at(-1);
}

async function readMarked(
  db: Kysely<SettlementDatabase>,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("fact")
    .select("fact_id")
    .where("judge", "=", true)
    .where("fact_id", ">", after)
    .orderBy("fact_id")
    .limit(limit)
    .execute();
  return rows.map(({ fact_id }) => fact_id);
}

async function judgeLocked(trx: Transaction<SettlementDatabase>, facts: readonly FactRow[]): Promise<void> {
  const ids = facts.map(({ fact_id }) => fact_id);
  await attachLatecomers(trx, ids);
  const lines = Map.groupBy(await readLines(trx, ids), ({ fact_id }) => fact_id);
  const judged = facts.map((fact) => {
    const own = lines.get(fact.fact_id) ?? [];
    return { fact, own, judgement: judgeFact(fact, own, fact) };
  });
  await record(trx, judged);
  await reportUnknownRefunds(trx, ids);
}

type LineRow = JudgedLine & { fact_id: string; import_id: string; line_no: number };
type Judged = { fact: FactRow; own: LineRow[]; judgement: Judgement };

/** Attaches lines that came before their fact: the fact has arrived, and they are no longer a difference. */
async function attachLatecomers(trx: Transaction<SettlementDatabase>, ids: string[]): Promise<void> {
  const { rows } = await sql<Pick<LineRow, "import_id" | "line_no" | "fact_id" | "kind">>`
    update line set fact_id = fact.fact_id, merchant_id = fact.merchant_id,
      verdict = case when line.kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') then 'NOT_COMPARED' else line.verdict end
    from fact
    where fact.fact_id = any(${ids}::uuid[]) and line.reference_id = fact.fact_id and line.fact_id is null
      and line.verdict is not null
      and line.kind in ('SALE', 'CAPTURE', 'REFUND', 'VOID', 'CHARGEBACK', 'CHARGEBACK_REVERSAL')
      and fact.account_id = line.account_id
      and ((fact.kind = 'REFUND') = (line.kind = 'REFUND') or ${GIVEN_BACK})
      and (select state = 'TAKEN' from import where import.import_id = line.import_id)
    returning line.import_id, line.line_no, line.fact_id, line.kind`.execute(trx);
  await nameMerchants(trx, ids);
  if (rows.length === 0) return;
  await sql`
    update fact set reported = true
    where fact_id = any(${rows.filter(({ kind }) => isMovement(kind)).map(({ fact_id }) => fact_id)}::uuid[])`.execute(
    trx,
  );
  await reportChargebacks(
    trx,
    sql`(line.import_id, line.line_no) in (
      select * from unnest(${rows.map(({ import_id }) => import_id)}::uuid[], ${rows.map(({ line_no }) => line_no)}::int[]))`,
  );
  await sql`
    update difference set state = 'RESOLVED', ended_at = now()
    from unnest(${rows.map(({ import_id }) => import_id)}::uuid[], ${rows.map(({ line_no }) => line_no)}::int[])
      as found(import_id, line_no)
    where difference.import_id = found.import_id and difference.line_no = found.line_no
      and difference.class = 'MISSING_HERE' and state in ('OPEN', 'PROPOSED')`.execute(trx);
}

/**
 * A line that only names the payment, such as a refund that nobody made here, belongs to the payment's
 * merchant, too.
 */
async function nameMerchants(trx: Transaction<SettlementDatabase>, ids: string[]): Promise<void> {
  await sql`
    with named as (
      update line set merchant_id = fact.merchant_id
      from fact
      where fact.fact_id = any(${ids}::uuid[]) and line.reference_id = fact.fact_id and line.fact_id is null
        and line.merchant_id is null and line.verdict in ('MISSING_HERE', 'DUPLICATE')
      returning line.import_id, line.line_no, line.merchant_id
    )
    update difference set merchant_id = named.merchant_id from named
    where difference.import_id = named.import_id and difference.line_no = named.line_no
      and state in ('OPEN', 'PROPOSED')`.execute(trx);
}

/** Reads lines in the order in which they were imported. */
export async function readLines(trx: Transaction<SettlementDatabase>, ids: string[]): Promise<LineRow[]> {
  const { rows } = await sql<LineRow>`
    select line.fact_id, line.import_id, line.line_no, line.kind, line.reference, line.bank_reference as "bankReference",
      line.item, line.installment, line.installments, line.gross_minor as "grossMinor", line.fee_minor as "feeMinor",
      line.net_minor as "netMinor", line.currency, line.settles_on::text as "settlesOn"
    from line
    where line.fact_id = any(${ids}::uuid[])
    order by (select created_at from import where import.import_id = line.import_id), line.import_id, line.line_no`.execute(
    trx,
  );
  return rows;
}

async function record(trx: Transaction<SettlementDatabase>, judged: readonly Judged[]): Promise<void> {
  const lines = judged.flatMap(({ fact, own, judgement }) =>
    own
      .map((line, index) => ({ ...line, account_id: fact.account_id, verdict: judgement.lines[index]! }))
      // A line that is not compared keeps the verdict that it got when it found its payment.
      .filter(({ kind }) => isMovement(kind)),
  );
  await recordVerdicts(trx, lines);
  await sql`
    update fact set judge = false, verdict = given.verdict, reported = fact.reported or given.has_lines
    from unnest(${judged.map(({ fact }) => fact.fact_id)}::uuid[],
      ${judged.map(({ judgement }) => judgement.verdict)}::text[],
      ${judged.map(({ own }) => own.some(({ kind }) => isMovement(kind)))}::boolean[]) as given(fact_id, verdict, has_lines)
    where fact.fact_id = given.fact_id`.execute(trx);
  await recordFactDifferences(trx, judged);
  await recordDuplicates(
    trx,
    lines.filter(({ verdict }) => verdict === "DUPLICATE"),
  );
}

export async function recordVerdicts(
  trx: Transaction<SettlementDatabase>,
  lines: readonly { import_id: string; line_no: number; verdict: LineVerdict }[],
): Promise<void> {
  await sql`
    update line set verdict = given.verdict
    from unnest(${lines.map((line) => line.import_id)}::uuid[], ${lines.map((line) => line.line_no)}::int[],
      ${lines.map((line) => line.verdict)}::text[]) as given(import_id, line_no, verdict)
    where line.import_id = given.import_id and line.line_no = given.line_no
      and line.verdict is distinct from given.verdict`.execute(trx);
}

/**
 * Updates the facts' differences. A difference that no longer exists is resolved, and one that has changed is
 * replaced. A difference that an operator has closed stays closed while it is the same and about the same
 * lines. A new difference needs a decision about all lines of its fact again.
 */
async function recordFactDifferences(
  trx: Transaction<SettlementDatabase>,
  judged: readonly Judged[],
): Promise<void> {
  const differing = judged.filter(({ judgement }) => judgement.verdict && judgement.verdict !== "MATCHED");
  const values = [
    judged.map(({ fact }) => fact.fact_id),
    judged.map(({ judgement }) => judgement.verdict),
    judged.map(({ judgement }) => judgement.stakeMinor),
  ];
  await sql`
    update difference set state = 'RESOLVED', ended_at = now()
    from unnest(${values[0]}::uuid[], ${values[1]}::text[], ${values[2]}::bigint[]) as given(fact_id, verdict, stake)
    where difference.fact_id = given.fact_id and state in ('OPEN', 'PROPOSED')
      and (class, amount_minor) is distinct from (given.verdict, given.stake)`.execute(trx);
  const sides = [
    differing.map(({ judgement }) => judgement.sides.oursMinor),
    differing.map(({ judgement }) => judgement.sides.theirsMinor),
    differing.map(({ judgement }) => judgement.sides.theirsCurrency),
  ];
  // Further lines may change the amounts of both sides, but not the amount at stake.
  await sql`
    update difference set ours_minor = given.ours, theirs_minor = given.theirs, theirs_currency = given.theirs_currency
    from unnest(${differing.map(({ fact }) => fact.fact_id)}::uuid[], ${sides[0]}::bigint[], ${sides[1]}::bigint[],
      ${sides[2]}::text[]) as given(fact_id, ours, theirs, theirs_currency)
    where difference.fact_id = given.fact_id and state in ('OPEN', 'PROPOSED')
      and (ours_minor, theirs_minor) is distinct from (given.ours, given.theirs)`.execute(trx);
  await sql`
    with opened as (
    insert into difference (account_id, class, fact_id, amount_minor, currency, detail, merchant_id, ours_minor, theirs_minor,
      theirs_currency)
    select given.* from unnest(${differing.map(({ fact }) => fact.account_id)}::text[],
      ${differing.map(({ judgement }) => judgement.verdict)}::text[],
      ${differing.map(({ fact }) => fact.fact_id)}::uuid[],
      ${differing.map(({ judgement }) => judgement.stakeMinor)}::bigint[],
      ${differing.map(({ fact }) => fact.currency)}::text[],
      ${differing.map(({ judgement }) => judgement.detail)}::text[],
      ${differing.map(({ fact }) => fact.merchant_id)}::uuid[], ${sides[0]}::bigint[], ${sides[1]}::bigint[],
      ${sides[2]}::text[])
      as given(account_id, class, fact_id, amount_minor, currency, detail, merchant_id, ours, theirs, theirs_currency)
    where not exists (
      select from difference as earlier
      where earlier.fact_id = given.fact_id and earlier.state <> 'RESOLVED' and earlier.class = given.class
        and earlier.amount_minor = given.amount_minor)
      or given.class in ('AMOUNT_DIFFERS', 'STATUS_DIFFERS') and exists (
        select from line where line.fact_id = given.fact_id and line.verdict = given.class and line.decision is null)
    on conflict do nothing
    returning fact_id, class
    )
    update line set decision = null, decided_in = null from opened
    where line.fact_id = opened.fact_id and line.verdict = opened.class and line.decision is not null`.execute(
    trx,
  );
}

async function recordDuplicates(
  trx: Transaction<SettlementDatabase>,
  lines: readonly (LineRow & { account_id: string })[],
): Promise<void> {
  await sql`
    insert into difference (account_id, class, import_id, line_no, amount_minor, theirs_minor, currency, detail)
    select given.account_id, 'DUPLICATE', given.import_id, given.line_no, abs(given.gross_minor), given.gross_minor,
      given.currency, 'an earlier line reports the same'
    from unnest(${lines.map(({ account_id }) => account_id)}::text[],
      ${lines.map(({ import_id }) => import_id)}::uuid[], ${lines.map(({ line_no }) => line_no)}::int[],
      ${lines.map(({ grossMinor }) => grossMinor)}::bigint[],
      ${lines.map(({ currency }) => currency)}::text[])
      as given(account_id, import_id, line_no, gross_minor, currency)
    where not exists (
      select from difference as earlier
      where earlier.import_id = given.import_id and earlier.line_no = given.line_no and earlier.state <> 'RESOLVED')
    on conflict do nothing`.execute(trx);
}
