import type { Kysely } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import { readStatements, type StatementFilter, type StatementRow } from "./statement-queries.ts";

/**
 * Lines after which a page of statements ends, however few statements it has: each line costs some nine pages of the
 * database, and a page has to be answered within a request. A day is added up as a whole.
 */
const LINES_OF_A_PAGE = 10_000;

/** Statements in order, and the day before which all of them were read: undefined at the end of the range. */
export type ReadDays = { rows: StatementRow[]; before: string | undefined };

/**
 * Adds up a range of days in slices: one day at first, and twice as many as before while as many lines a day as so far stay
 * within the bound.
 *
 * @param filter its `limit` is of all rows together.
 */
export async function readDays(db: Kysely<SettlementDatabase>, filter: StatementFilter): Promise<ReadDays> {
  const { to, limit, after } = filter;
  const first = after && after.day > filter.from ? after.day : filter.from;
  const rows: StatementRow[] = [];
  let lines = 0;
  let next = first;
  for (let days = 1; next <= to && rows.length < limit && lines < LINES_OF_A_PAGE;) {
    const through = earlierOf(addDays(next, days - 1), to);
    const slice = await readStatements({
      ...filter,
      from: next,
      to: through,
      limit: limit - rows.length,
    }).execute(db);
    rows.push(...slice.rows);
    lines += slice.rows.reduce((sum, row) => sum + row.lines, 0);
    next = addDays(through, 1);
    const linesOfADay = lines / daysBetween(first, next);
    days = linesOfADay * days * 2 <= LINES_OF_A_PAGE - lines ? days * 2 : 1;
  }
  return { rows, before: next <= to ? next : undefined };
}

const DAY_MS = 86_400_000;

/** @param day `2026-11-20` */
function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

function earlierOf(one: string, other: string): string {
  return one < other ? one : other;
}
