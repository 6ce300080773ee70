import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { COUNTS, readStatements } from "./statement-queries.ts";

/** A day and currency whose statements are not the sum of its matched lines. Minor units. */
export type StatementFault = { day: string; currency: string; statements: bigint; lines: bigint };

/**
 * Adds up all statements of each day and currency, and separately the lines themselves, without their merchants and
 * without any grouping by merchant: a line that is in no statement, or in two, is a fault.
 */
export async function checkStatements(
  db: Kysely<SettlementDatabase>,
  { from, to }: { from: string; to: string },
): Promise<{ days: number; faults: StatementFault[] }> {
  const { rows: statements } = await readStatements({ from, to, limit: STATEMENTS_MAX }).execute(db);
  const { rows: lines } = await sql<{ day: string; currency: string; total: bigint }>`
    select coalesce(settles_on, transacted_at::date)::text as day, currency, sum(gross_minor)::bigint as total
    from line where ${COUNTS} and coalesce(settles_on, transacted_at::date) between ${from}::date and ${to}::date
    group by 1, 2 order by 1, 2`.execute(db);
  const keyOf = ({ day, currency }: { day: string; currency: string }) => `${day} ${currency}`;
  const sums = new Map<string, bigint>();
  for (const row of statements)
    sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0n) + row.sales + row.refunds + row.chargebacks);
  const totals = new Map(lines.map((row) => [keyOf(row), row.total]));
  const keys = [...new Set([...sums.keys(), ...totals.keys()])].toSorted();
  const faults = keys.flatMap((key) => {
    const [statementSum, lineSum] = [sums.get(key) ?? 0n, totals.get(key) ?? 0n];
    if (statementSum === lineSum) return [];
    const [day = "", currency = ""] = key.split(" ");
    return [{ day, currency, statements: statementSum, lines: lineSum }];
  });
  return { days: keys.length, faults };
}

/** More merchants than a day has; a sum that is cut off shows as a fault. */
const STATEMENTS_MAX = 10_000_000;
