import {
  amountToJson,
  currencyExponent,
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
import { readStatements, type StatementRow } from "./statement-queries.ts";

/** A page of statements, by day, merchant and currency. @param merchantId of one merchant alone */
export async function listStatements(
  db: Kysely<SettlementDatabase>,
  { limit, cursor, ...filter }: StatementQuery,
  merchantId: string | undefined,
): Promise<CommandReply<{ items: Statement[]; nextCursor?: string | undefined }>> {
  const after = cursor === undefined ? undefined : placeCursor.decode(cursor);
  if (cursor !== undefined && after === undefined)
    return { outcome: "problem", code: "validation_failed", extra: { errors: INVALID_CURSOR_ERRORS } };
  const { rows } = await readStatements({ ...filter, merchantId, after, limit: limit + 1 }).execute(db);
  const { page, next } = cutPage(rows, limit, ({ day, merchant_id, currency }) =>
    placeCursor.encode({ day, merchantId: merchant_id, currency }),
  );
  return { outcome: "done", result: { items: page.map(shown), ...next } };
}

const placeCursor = jsonCursor(
  z.object({ day: z.iso.date(), merchantId: z.uuid(), currency: z.string().regex(/^[A-Z]{3}$/) }),
);

/** What is deducted is positive here. The bank's fees are the operator's, and are no part of what is payable. */
function shown(row: StatementRow): Statement {
  const exponent = currencyExponent(row.currency) ?? 0;
  const amount = (minor: bigint) =>
    minor < 0n ? -amountToJson(-minor, exponent) : amountToJson(minor, exponent);
  return {
    merchantId: row.merchant_id,
    day: row.day,
    currency: row.currency,
    salesAmount: amount(row.sales),
    refundsAmount: amount(-row.refunds),
    chargebacksAmount: amount(-row.chargebacks),
    commission: amount(row.commission),
    bankFeesAmount: amount(row.bank_fees),
    netPayableAmount: amount(row.sales + row.refunds + row.chargebacks - row.commission),
    lines: row.lines,
    unpricedLines: row.unknown_commissions,
    complete: row.complete,
  };
}
