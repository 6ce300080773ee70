import { sql, type Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { readStatements } from "./statement-queries.ts";

/** Lines that are in no statement, and why. Minor units. */
export type LeftOut = {
  why: string;
  lines: number;
  minor: bigint;
  /** True if it waits for a comparison or for people. */
  isOpen: boolean;
};

/** A day and currency: all lines of the banks' files, and the sum of all statements. Minor units. */
export type CheckedDay = {
  day: string;
  currency: string;
  lines: bigint;
  statements: bigint;
  leftOut: LeftOut[];
  /** False if a line is in no statement and not among the left-out lines, or in two statements. */
  addsUp: boolean;
};

/** A line that nobody could read, which may be money of these days. */
export type UnreadLine = {
  importId: string;
  line: number;
  days: string | null;
  minor: bigint | null;
  currency: string | null;
};

export type CheckedStatements = { days: CheckedDay[]; unread: UnreadLine[] };

/**
 * Adds up all lines of each day and currency, whatever their verdicts, and all statements, and names the
 * lines between the two sums. Payouts are the other side of the same money, and have a comparison of their
 * own.
 */
export async function checkStatements(
  db: Kysely<SettlementDatabase>,
  { from, to }: { from: string; to: string },
): Promise<CheckedStatements> {
  const { rows: statements } = await readStatements({ from, to, limit: STATEMENTS_MAX }).execute(db);
  const sums = new Map<string, bigint>();
  for (const row of statements) {
    const sum = row.sales + row.refunds + row.chargebacks + row.adjustments;
    sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0n) + sum);
  }
  const lines = Map.groupBy(await addUpLines(db, { from, to }), keyOf);
  const keys = [...new Set([...sums.keys(), ...lines.keys()])].toSorted();
  const days = keys.map((key): CheckedDay => {
    const groups = lines.get(key) ?? [];
    const total = groups.reduce((sum, { minor }) => sum + minor, 0n);
    const leftOut = groups.filter(({ why }) => why !== COUNTED);
    const named = leftOut.reduce((sum, { minor }) => sum + minor, 0n);
    const [day = "", currency = ""] = key.split(" ");
    const ofStatements = sums.get(key) ?? 0n;
    const addsUp = ofStatements + named === total;
    return { day, currency, lines: total, statements: ofStatements, leftOut, addsUp };
  });
  return { days, unread: await readUnread(db, { from, to }) };
}

/** True if every line is in one statement, or is left out by a person's decision. */
export function isSettled({ days, unread }: CheckedStatements): boolean {
  return (
    unread.length === 0 && days.every(({ addsUp, leftOut }) => addsUp && !leftOut.some((each) => each.isOpen))
  );
}

const keyOf = ({ day, currency }: { day: string; currency: string }) => `${day} ${currency}`;

/** More merchants than a day has; a sum that is cut off shows as a fault. */
const STATEMENTS_MAX = 10_000_000;
const COUNTED = "counted";

/**
 * Adds up the lines by verdict and decision, independently of the statements' SQL, so that a mistake there is
 * not repeated here.
 */
async function addUpLines(db: Kysely<SettlementDatabase>, { from, to }: { from: string; to: string }) {
  const { rows } = await sql<LeftOut & { day: string; currency: string }>`
    select day, currency, why, is_open as "isOpen", count(*)::int as lines, sum(gross_minor)::bigint as minor
    from (
      select coalesce(settles_on, transacted_at::date)::text as day, currency, gross_minor,
        case
          when verdict in ('MATCHED', 'FEE_DIFFERS', 'LATE') or decision = 'ACCEPT_BANK' then ${COUNTED}
          when kind in ('CHARGEBACK', 'CHARGEBACK_REVERSAL') and verdict = 'NOT_COMPARED' then ${COUNTED}
          when decision = 'NOT_OURS' then 'not ours'
          when verdict = 'NOT_COMPARED' then kind || ' of no payment'
          else coalesce(verdict, 'not compared yet')
        end as why,
        decision is null and (verdict is null or verdict not in ('MATCHED', 'FEE_DIFFERS', 'LATE', 'NOT_COMPARED', 'DUPLICATE'))
          as is_open
      from line
      where kind <> 'PAYOUT' and coalesce(settles_on, transacted_at::date) between ${from}::date and ${to}::date
        and (select state = 'TAKEN' from import where import.import_id = line.import_id)
    ) as lines
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(db);
  return rows;
}

async function readUnread(
  db: Kysely<SettlementDatabase>,
  { from, to }: { from: string; to: string },
): Promise<UnreadLine[]> {
  const { rows } = await sql<UnreadLine>`
    select import_id as "importId", line_no as line, amount_minor as minor, currency,
      case when first_day = last_day then first_day::text else first_day || ' to ' || last_day end as days
    from difference
    where class = 'UNREADABLE' and state in ('OPEN', 'PROPOSED')
      and (first_day is null or first_day <= ${to}::date and last_day >= ${from}::date)
    order by import_id, line_no limit ${UNREAD_MAX}`.execute(db);
  return rows;
}

const UNREAD_MAX = 100;
