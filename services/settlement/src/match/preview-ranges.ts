import { sql, type Transaction } from "kysely";
import { reportChargebacks } from "../chargeback/report-chargebacks.ts";
import type { SettlementDatabase } from "../database.ts";
import { namedFacts } from "./attach-range.ts";
import { attachChargebacks, attachLines, judgeUnattached } from "./attach-statements.ts";
import { judgeFact } from "./judge-fact.ts";
import { readLines } from "./judge-facts.ts";
import { readFacts } from "./judged-facts.ts";

type Trx = Transaction<SettlementDatabase>;

/**
 * Compares the lines of an import in a transaction that is rolled back, and locks no fact. The facts that other lines will
 * bring are not waited for, as they are in earnest.
 *
 * @returns how many lines have which verdict.
 */
export async function previewRanges(trx: Trx, importId: string): Promise<Record<string, number>> {
  const { last } = await trx
    .selectFrom("line")
    .select(({ fn }) => fn.max("line_no").as("last"))
    .where("import_id", "=", importId)
    .executeTakeFirstOrThrow();
  const facts = new Set<string>();
  for (let from = 1; from <= (last ?? 0); from += AT_A_TIME) {
    const range = { importId, from, to: from + AT_A_TIME - 1 };
    const named = await namedFacts(trx, range);
    for (const { fact_id } of named) facts.add(fact_id);
    const merchants = new Map(
      (
        await readFacts(
          trx,
          named.map((line) => line.fact_id),
        )
      ).map((fact) => [fact.fact_id, fact.merchant_id]),
    );
    const attached = named.map(({ line_no, fact_id }) => ({
      lineNo: line_no,
      factId: fact_id,
      merchantId: merchants.get(fact_id)!,
      verdict: null,
    }));
    await attachLines(importId, attached).execute(trx);
    await attachChargebacks(range).execute(trx);
    await reportChargebacks(
      trx,
      sql`line.import_id = ${importId} and line.line_no between ${range.from} and ${range.to}`,
    );
    await judgeUnattached(range).execute(trx);
  }
  const counted = new Map<string, number>();
  const count = (verdict: string, lines: number) => counted.set(verdict, (counted.get(verdict) ?? 0) + lines);
  const ids = [...facts].toSorted();
  for (let at = 0; at < ids.length; at += AT_A_TIME)
    await judge(trx, { importId, ids: ids.slice(at, at + AT_A_TIME), count });
  const { rows } = await sql<{ verdict: string; lines: number }>`
    select verdict, count(*)::int as lines from line where import_id = ${importId} and verdict is not null group by 1`.execute(
    trx,
  );
  for (const { verdict, lines } of rows) count(verdict, lines);
  return Object.fromEntries([...counted].toSorted());
}

const AT_A_TIME = 1_000;

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
