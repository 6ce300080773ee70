import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";

/**
 * The account whose payments a file reports, if it is not the account that the file was sent for. That is so
 * if no examined line names a payment of the given account, and most lines name payments of the other
 * account. Single lines of another account are differences for an operator; a whole file of them would be one
 * difference per line.
 *
 * @param leased the import, whose lines have been read and do not count yet.
 */
export async function findOtherAccount(
  db: Kysely<SettlementDatabase>,
  leased: { import_id: string; account_id: string },
): Promise<string | undefined> {
  // Both keys are used: the planner has no statistics of a file that was read just now.
  const { rows } = await sql<{ account_id: string | null }>`
    select (select fact.account_id from fact where fact.fact_id = line.reference_id) as account_id
    from line where line.import_id = ${leased.import_id} and line.reference_id is not null
    order by line.line_no limit ${LINES_LOOKED_AT}`.execute(db);
  return otherAccount(
    rows.map((row) => row.account_id),
    leased.account_id,
  );
}

/** A bank writes a file about one account, so its first lines are enough. */
const LINES_LOOKED_AT = 1_000;

/** @param named the account of the payment that each line names; null if none is known. */
export function otherAccount(named: readonly (string | null)[], own: string): string | undefined {
  if (named.includes(own)) return undefined;
  const other = named.find((account) => account !== null) ?? undefined;
  const ofOther = named.filter((account) => account === other).length;
  return ofOther * 2 > named.length ? other : undefined;
}
