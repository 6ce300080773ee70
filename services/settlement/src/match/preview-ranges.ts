import { sql, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { judgePayout } from "../payout/judge-payout.ts";
import { readNamedPayouts } from "../payout/judge-payouts.ts";
import { attachNamed, attachOthers, namedFacts } from "./attach-range.ts";
import { changeBy, type Change, type Earlier } from "./difference-changes.ts";
import { isMovement, judgeFact } from "./judge-fact.ts";
import { readLines, recordVerdicts } from "./judge-facts.ts";
import { readFacts } from "./judged-facts.ts";
import { rangesOf } from "./match-imports.ts";

type Trx = Transaction<SettlementDatabase>;
type Counts = Record<string, number>;

/** The result that letting an import count would have: how many lines have which verdict, and which differences change. */
export type Compared = { verdicts: Counts; differences: { opens: Counts; resolves: Counts } };

/**
 * Compares the lines of an import in a transaction that is rolled back, and locks no fact. Unlike a real
 * comparison it does not wait for facts that are still to come. It cannot foresee differences that only time
 * brings, such as a late payout.
 */
export async function previewRanges(trx: Trx, importId: string): Promise<Compared> {
  const named = new Set<string>();
  for (const range of await rangesOf(trx, importId)) {
    const lines = await namedFacts(trx, range);
    for (const { fact_id } of lines) named.add(fact_id);
    const facts = await readFacts(
      trx,
      lines.map(({ fact_id }) => fact_id),
    );
    await attachNamed(trx, range, { lines, facts, matched: new Set() });
    await attachOthers(trx, range);
  }
  const changes: Changes = { opens: new Map(), resolves: new Map() };
  const ids = [...named].toSorted();
  for (let at = 0; at < ids.length; at += FACTS_AT_A_TIME)
    await judge(trx, { importId, ids: ids.slice(at, at + FACTS_AT_A_TIME), changes });
  await judgePayoutsOf(trx, importId, changes);
  const verdicts = await countVerdicts(trx, importId);
  // Each such line is a difference of its own.
  for (const kind of ["MISSING_HERE", "DUPLICATE"]) add(changes.opens, kind, verdicts.get(kind) ?? 0);
  add(changes.opens, "UNREADABLE", await countFaults(trx, importId));
  return {
    verdicts: shown(verdicts),
    differences: { opens: shown(changes.opens), resolves: shown(changes.resolves) },
  };
}

const FACTS_AT_A_TIME = 1_000;

type Changes = Record<"opens" | "resolves", Map<string, number>>;

function add(counts: Map<string, number>, name: string, count = 1): void {
  if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
}

function note({ opens, resolves }: Changes, change: Change): void {
  if (change.opens !== undefined) add(opens, change.opens);
  for (const kind of change.resolves) add(resolves, kind);
}

function shown(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].toSorted());
}

/**
 * Judges facts with all of their lines, earlier files' included, and writes the verdicts of this import's
 * lines.
 */
async function judge(
  trx: Trx,
  { importId, ids, changes }: { importId: string; ids: string[]; changes: Changes },
): Promise<void> {
  const lines = Map.groupBy(await readLines(trx, ids), ({ fact_id }) => fact_id);
  const { rows } = await sql<Earlier & { fact_id: string }>`
    select fact_id, class, amount_minor, state from difference
    where fact_id = any(${ids}::uuid[]) and state <> 'RESOLVED'`.execute(trx);
  const earlier = Map.groupBy(rows, ({ fact_id }) => fact_id);
  const judged: Parameters<typeof recordVerdicts>[1][number][] = [];
  for (const fact of await readFacts(trx, ids)) {
    const all = lines.get(fact.fact_id) ?? [];
    const { verdict, stakeMinor, lines: verdicts } = judgeFact(fact, all, fact);
    const own = all
      .map((line, index) => ({ ...line, verdict: verdicts[index]! }))
      .filter((line) => line.import_id === importId && isMovement(line.kind));
    judged.push(...own);
    const asksAgain =
      (verdict === "AMOUNT_DIFFERS" || verdict === "STATUS_DIFFERS") &&
      own.some((line) => line.verdict === verdict);
    note(changes, changeBy({ verdict, stakeMinor, asksAgain }, earlier.get(fact.fact_id) ?? []));
  }
  await recordVerdicts(trx, judged);
}

/** Compares the payouts that the import's lines name or report, as if they counted. */
async function judgePayoutsOf(trx: Trx, importId: string, changes: Changes): Promise<void> {
  const payouts = await readNamedPayouts(trx, importId);
  const { rows } = await sql<Earlier & { payout_id: string; currency: string }>`
    select payout_id, currency, class, amount_minor, state from difference
    where account_id = (select account_id from import where import_id = ${importId})
      and payout_id = any(${payouts.map(({ payout_id }) => payout_id)}::text[]) and state <> 'RESOLVED'`.execute(
    trx,
  );
  const keyOf = (payout: { payout_id: string; currency: string }) => `${payout.currency} ${payout.payout_id}`;
  const earlier = Map.groupBy(rows, keyOf);
  for (const payout of payouts)
    note(changes, changeBy(judgePayout(payout), earlier.get(keyOf(payout)) ?? []));
}

async function countVerdicts(trx: Trx, importId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ verdict: string; lines: number }>`
    select verdict, count(*)::int as lines from line where import_id = ${importId} and verdict is not null group by 1`.execute(
    trx,
  );
  return new Map(rows.map(({ verdict, lines }) => [verdict, lines]));
}

async function countFaults(trx: Trx, importId: string): Promise<number> {
  const { rows } = await sql<{ faults: number }>`
    select count(*)::int as faults from line_fault where import_id = ${importId}`.execute(trx);
  return rows[0]!.faults;
}
