import { sql, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import type { LineRange } from "../match/attach-statements.ts";
import { rangesOf } from "../match/match-imports.ts";

/** The days of a file's first movement and of its first payout. */
type FirstDays = { moved: string | null; paid: string | null };

/** Reads a part of the file at a time, as all statements about its lines do. */
export async function firstDaysOf(
  trx: Transaction<SettlementDatabase>,
  importId: string,
): Promise<FirstDays> {
  let days: FirstDays = { moved: null, paid: null };
  for (const range of await rangesOf(trx, importId)) days = await earlierIn(trx, range, days);
  return days;
}

async function earlierIn(
  trx: Transaction<SettlementDatabase>,
  { importId, from, to }: LineRange,
  { moved, paid }: FirstDays,
): Promise<FirstDays> {
  const { rows } = await sql<FirstDays>`
    select least(${moved}::date, min(coalesce(transacted_at::date, settles_on)) filter (where kind <> 'PAYOUT'))::text as moved,
      least(${paid}::date, min(coalesce(settles_on, transacted_at::date)) filter (where kind = 'PAYOUT'))::text as paid
    from line where import_id = ${importId} and line_no between ${from} and ${to}`.execute(trx);
  return rows[0]!;
}
