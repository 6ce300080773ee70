import { sql, type Kysely, type Transaction } from "kysely";
import { reportChargebacks } from "../chargeback/report-chargebacks.ts";
import { reportRefundsByName } from "../chargeback/report-unknown-refunds.ts";
import type { SettlementDatabase } from "../database.ts";
import {
  attachChargebacks,
  attachLines,
  findCopies,
  findGivenBack,
  findRefundsOfPayments,
  judgeUnattached,
  markPaymentsOfUnknownRefunds,
  markReported,
  readNamingLines,
  type LineRange,
  type NamingLine,
} from "./attach-statements.ts";
import { judgeFact } from "./judge-fact.ts";
import { lockFacts, type FactRow } from "./judged-facts.ts";

/**
 * Finds the facts that the lines of a range report, in one transaction. Nearly all lines of a bank's file
 * agree with our records. A fact that no earlier line has reported, and that agrees with its lines here, is
 * therefore completed by one update of each row. Any other fact is only marked, to be judged with all of its
 * lines after every line has found its fact.
 */
export async function attachRange(db: Kysely<SettlementDatabase>, range: LineRange): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // One process at a time, because it must see the lines that another one has attached meanwhile.
    await sql`select from import where import_id = ${range.importId} for no key update`.execute(trx);
    const lines = await namedFacts(trx, range);
    const byFact = Map.groupBy(lines, ({ fact_id }) => fact_id);
    const facts = await lockFacts(trx, [...byFact.keys()]);
    const matched = new Set(
      facts.filter((fact) => agrees(fact, byFact.get(fact.fact_id)!)).map(({ fact_id }) => fact_id),
    );
    await attachNamed(trx, range, { lines, facts, matched });
    await markReported(
      facts.map(({ fact_id }) => ({ factId: fact_id, matched: matched.has(fact_id) })),
    ).execute(trx);
    await attachOthers(trx, range);
    await markPaymentsOfUnknownRefunds(range).execute(trx);
    await reportRefundsByName(range).execute(trx);
  });
}

type Named = NamingLine & { fact_id: string };

/** The lines of a range that report a movement of ours, each with its fact. */
export async function namedFacts(trx: Transaction<SettlementDatabase>, range: LineRange): Promise<Named[]> {
  const { rows } = await readNamingLines(range).execute(trx);
  const unnamed = rows.filter(
    ({ kind, reference_id, fact_id }) => kind === "REFUND" && reference_id !== null && fact_id === null,
  );
  // Copies within the range get the first one's fact.
  const copies = [...Map.groupBy(unnamed, movementOf).values()];
  for (const find of [findCopies, findRefundsOfPayments, findGivenBack]) {
    const refunds = copies.filter(([first]) => first!.fact_id === null);
    if (refunds.length === 0) break;
    const lineNos = refunds.map(([first]) => first!.line_no);
    const found = await find(range, lineNos).execute(trx);
    const byLine = new Map(found.rows.map(({ line_no, fact_id }) => [line_no, fact_id]));
    for (const lines of refunds) {
      const factId = byLine.get(lines[0]!.line_no) ?? null;
      for (const line of lines) line.fact_id = factId;
    }
  }
  return rows.filter((line): line is Named => line.fact_id !== null);
}

/** @param matched the facts that agree with their lines. */
export async function attachNamed(
  trx: Transaction<SettlementDatabase>,
  { importId }: LineRange,
  { lines, facts, matched }: { lines: Named[]; facts: FactRow[]; matched: ReadonlySet<string> },
): Promise<void> {
  const merchants = new Map(facts.map(({ fact_id, merchant_id }) => [fact_id, merchant_id]));
  const attached = lines.map(({ line_no, fact_id }) => ({
    lineNo: line_no,
    factId: fact_id,
    merchantId: merchants.get(fact_id)!,
    verdict: matched.has(fact_id) ? ("MATCHED" as const) : null,
  }));
  await attachLines(importId, attached).execute(trx);
}

/** The lines of a range that report no movement of ours: chargebacks find their payment, and the others are judged. */
export async function attachOthers(trx: Transaction<SettlementDatabase>, range: LineRange): Promise<void> {
  await attachChargebacks(range).execute(trx);
  await reportChargebacks(
    trx,
    sql`line.import_id = ${range.importId} and line.line_no between ${range.from} and ${range.to}`,
  );
  await judgeUnattached(range).execute(trx);
}

/**
 * The movement that a refund's line reports, by the bank's name; a line without a name is a movement of its
 * own.
 */
function movementOf({ line_no, reference_id, hasPaymentsName, ...line }: NamingLine): string {
  const { bankReference, item, installment } = line;
  const isUnnamed = bankReference === null || hasPaymentsName;
  return JSON.stringify(isUnnamed ? line_no : [reference_id, bankReference, item, installment]);
}

/** True if these are the fact's first lines, and all of them agree with our records. */
function agrees(fact: FactRow, lines: readonly NamingLine[]): boolean {
  if (fact.reported || fact.judge || fact.factVerdict !== null) return false;
  return judgeFact(fact, lines, fact).lines.every((verdict) => verdict === "MATCHED");
}
