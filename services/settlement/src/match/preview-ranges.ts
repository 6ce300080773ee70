import { sql, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { attachNamed, attachOthers, namedFacts } from "./attach-range.ts";
import { judgeFact } from "./judge-fact.ts";
import { readLines } from "./judge-facts.ts";
import { readFacts } from "./judged-facts.ts";
import { rangesOf } from "./match-imports.ts";

type Trx = Transaction<SettlementDatabase>;

/**
 * Compares the lines of an import in a transaction that is rolled back, and locks no fact. The facts that other lines will
 * bring are not waited for, as they are in earnest.
 *
 * @returns how many lines have which verdict.
 */
export async function previewRanges(trx: Trx, importId: string): Promise<Record<string, number>> {
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
  const counted = new Map<string, number>();
  const count = (verdict: string, lines: number) => counted.set(verdict, (counted.get(verdict) ?? 0) + lines);
  const ids = [...named].toSorted();
  for (let at = 0; at < ids.length; at += FACTS_AT_A_TIME)
    await judge(trx, { importId, ids: ids.slice(at, at + FACTS_AT_A_TIME), count });
  const { rows } = await sql<{ verdict: string; lines: number }>`
    select verdict, count(*)::int as lines from line where import_id = ${importId} and verdict is not null group by 1`.execute(
    trx,
  );
  for (const { verdict, lines } of rows) count(verdict, lines);
  return Object.fromEntries([...counted].toSorted());
}

const FACTS_AT_A_TIME = 1_000;

/** Judges facts with all of their lines, those of earlier files too, and counts the lines of this import. */
async function judge(
  trx: Trx,
  {
    importId,
    ids,
    count,
  }: { importId: string; ids: string[]; count: (verdict: string, lines: number) => void },
): Promise<void> {
  const lines = Map.groupBy(await readLines(trx, ids), ({ fact_id }) => fact_id);
  for (const fact of await readFacts(trx, ids)) {
    const own = lines.get(fact.fact_id) ?? [];
    const { lines: verdicts } = judgeFact(fact, own, fact);
    for (const [index, line] of own.entries())
      if (line.import_id === importId && verdicts[index] !== "NOT_COMPARED") count(verdicts[index]!, 1);
  }
}
