import {
  cutPage,
  idCursor,
  INVALID_CURSOR_ERRORS,
  nameOf,
  operations,
  type CommandReply,
  type Difference,
} from "@holdfast/contracts";
import { sql, type Kysely, type Selectable } from "kysely";
import type { z } from "zod";
import { amountIn } from "../amount-in.ts";
import type { SettlementDatabase } from "../database.ts";
import type { DifferenceTable } from "../match/difference-table.ts";

type Row = Selectable<DifferenceTable>;

/** All columns of a difference, with its days as text. */
export const DIFFERENCE = [
  ...([
    "difference_id",
    "account_id",
    "class",
    "fact_id",
    "payout_id",
    "import_id",
    "line_no",
    "amount_minor",
    "currency",
    "ours_minor",
    "theirs_minor",
    "theirs_currency",
    "detail",
    "merchant_id",
    "state",
    "assignee",
    "proposed_by",
    "proposed_at",
    "closed_by",
    "reason",
    "decision",
    "accepted_minor",
    "accepted_currency",
    "accepted_merchant_id",
    "opened_at",
    "ended_at",
  ] as const),
  sql<string | null>`first_day::text`.as("first_day"),
  sql<string | null>`last_day::text`.as("last_day"),
  sql<string | null>`accepted_day::text`.as("accepted_day"),
] as const;

/** A page of differences, oldest first. */
export async function listDifferences(
  db: Kysely<SettlementDatabase>,
  filter: z.infer<typeof operations.listDifferences.command.request>,
): Promise<CommandReply<{ items: Difference[]; nextCursor?: string | undefined }>> {
  const { limit, state, accountId, class: kind } = filter;
  const after = filter.cursor === undefined ? undefined : idCursor.decode(filter.cursor);
  if (filter.cursor !== undefined && after === undefined)
    return { outcome: "problem", code: "validation_failed", extra: { errors: INVALID_CURSOR_ERRORS } };
  const rows = await db
    .selectFrom("difference")
    .select(DIFFERENCE)
    .where("state", "=", state)
    .$if(kind !== undefined, (query) => query.where("class", "=", kind!))
    .$if(accountId !== undefined, (query) => query.where("account_id", "=", accountId!))
    .$if(after !== undefined, (query) => query.where("difference_id", ">", after!))
    .orderBy("difference_id")
    .limit(limit + 1)
    .execute();
  const { page, next } = cutPage(rows, limit, ({ difference_id }) => idCursor.encode(difference_id));
  return { outcome: "done", result: { items: await shown(db, page), ...next } };
}

/** All differences about these movements, in every state, oldest first. */
export async function differencesOf(
  db: Kysely<SettlementDatabase>,
  factIds: readonly string[],
  limit: number,
): Promise<Difference[]> {
  const rows = await db
    .selectFrom("difference")
    .select(DIFFERENCE)
    .where("fact_id", "in", [...factIds])
    .orderBy("difference_id")
    .limit(limit)
    .execute();
  return await shown(db, rows);
}

export async function describeDifference(
  db: Kysely<SettlementDatabase>,
  differenceId: string,
): Promise<Difference> {
  const row = await db
    .selectFrom("difference")
    .select(DIFFERENCE)
    .where("difference_id", "=", differenceId)
    .executeTakeFirstOrThrow();
  return (await shown(db, [row]))[0]!;
}

async function shown(db: Kysely<SettlementDatabase>, rows: readonly Row[]): Promise<Difference[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ difference_id }) => difference_id);
  const notes = await db
    .selectFrom("difference_note")
    .selectAll()
    .where("difference_id", "in", ids)
    .orderBy("at", "desc")
    .limit(NOTES_MAX)
    .execute();
  const byDifference = Map.groupBy(notes.toReversed(), ({ difference_id }) => difference_id);
  return rows.map((row) => ({
    differenceId: row.difference_id,
    accountId: row.account_id,
    class: row.class,
    state: row.state,
    ...(row.amount_minor !== null && { amount: amountIn(row.amount_minor, row.currency) }),
    ...(row.currency !== null && { currency: row.currency }),
    ...sideOf("ours", row.ours_minor, row.currency),
    ...sideOf("theirs", row.theirs_minor, row.theirs_currency ?? row.currency),
    detail: row.detail,
    ...(row.fact_id !== null && { paymentId: row.fact_id }),
    ...(row.payout_id !== null && { payoutId: row.payout_id }),
    ...(row.merchant_id !== null && { merchantId: row.merchant_id }),
    ...(row.first_day !== null && { day: row.first_day }),
    ...(row.import_id !== null && { importId: row.import_id }),
    ...(row.line_no !== null && { line: row.line_no }),
    ...(row.assignee !== null && { assignee: row.assignee }),
    ...(row.proposed_by !== null && { proposedBy: nameOf(row.proposed_by) }),
    ...(row.closed_by !== null && { closedBy: nameOf(row.closed_by) }),
    ...(row.decision !== null && { decision: row.decision }),
    ...(row.accepted_minor !== null &&
      row.accepted_currency !== null && {
        acceptedAmount: amountIn(row.accepted_minor, row.accepted_currency),
        acceptedCurrency: row.accepted_currency,
      }),
    ...(row.reason !== null && { reason: row.reason }),
    openedAt: row.opened_at.toISOString(),
    ...(row.ended_at !== null && { endedAt: row.ended_at.toISOString() }),
    ageSeconds: Math.max(0, Math.floor((Date.now() - row.opened_at.getTime()) / 1_000)),
    notes: (byDifference.get(row.difference_id) ?? []).map(({ at, actor, note }) => ({
      at: at.toISOString(),
      actor,
      note,
    })),
  }));
}

function sideOf(side: "ours" | "theirs", minor: bigint | null, currency: string | null) {
  return minor === null || currency === null
    ? {}
    : { [side]: { amount: amountIn(minor, currency), currency } };
}

/** The newest notes of a page: more would not fit into an answer. */
const NOTES_MAX = 400;
