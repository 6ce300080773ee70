import {
  cutPage,
  INVALID_CURSOR_ERRORS,
  jsonCursor,
  type CommandReply,
  type Statement,
  type StatementQuery,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { SettlementDatabase } from "../database.ts";
import { describeStatement } from "./describe-statement.ts";
import { type StatementFilter, readStatements, type StatementRow } from "./statement-queries.ts";

/**
 * A page of statements, by day, merchant and currency. It ends early, and another one follows, where many lines had to be
 * added up (`readDays`).
 *
 * @param merchantId of one merchant alone
 */
export async function listStatements(
  db: Kysely<SettlementDatabase>,
  { limit, cursor, ...filter }: StatementQuery,
  merchantId: string | undefined,
): Promise<CommandReply<{ items: Statement[]; nextCursor?: string | undefined }>> {
  const after = cursor === undefined ? undefined : placeCursor.decode(cursor);
  if (cursor !== undefined && after === undefined)
    return { outcome: "problem", code: "validation_failed", extra: { errors: INVALID_CURSOR_ERRORS } };
  const { rows, before } = await readDays(db, { ...filter, merchantId, after, limit: limit + 1 });
  const { page, next } = cutPage(rows, limit, ({ day, merchant_id, currency }) =>
    placeCursor.encode({ day, merchantId: merchant_id, currency }),
  );
  const ended = before === undefined ? {} : { nextCursor: placeCursor.encode(startOf(before)) };
  return { outcome: "done", result: { items: page.map(describeStatement), ...ended, ...next } };
}

/** The place before all statements of a day. */
function startOf(day: string): NonNullable<StatementFilter["after"]> {
  return { day, merchantId: "00000000-0000-0000-0000-000000000000", currency: "AAA" };
}

const placeCursor = jsonCursor(
  z.object({ day: z.iso.date(), merchantId: z.uuid(), currency: z.string().regex(/^[A-Z]{3}$/) }),
);

/**
 * Lines after which a page of statements ends, however few statements it has: each line costs some nine pages of the
 * database, and a page has to be answered within a request. A day is added up as a whole.
 */
const LINES_OF_A_PAGE = 10_000;

/** Statements in order, and the day before which all of them were read: undefined at the end of the range. */
type ReadDays = { rows: StatementRow[]; before: string | undefined };

/**
 * Adds up a range of days in slices: one day at first, and twice as many as before while as many lines a day as so far stay
 * within the bound.
 *
 * @param filter its `limit` is of all rows together.
 */
async function readDays(db: Kysely<SettlementDatabase>, filter: StatementFilter): Promise<ReadDays> {
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
