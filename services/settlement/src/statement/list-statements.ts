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
import { readDays } from "./read-days.ts";
import type { StatementFilter } from "./statement-queries.ts";

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
