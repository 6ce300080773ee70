import { appendAudit } from "@holdfast/audit";
import type {
  AmountsByCurrency,
  CommandReply,
  Difference,
  OperatorContext,
  ProblemCode,
} from "@holdfast/contracts";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import type { DifferenceTable } from "../match/difference-table.ts";
import { describeDifference } from "./list-differences.ts";

export type DifferenceDeps = {
  db: Kysely<SettlementDatabase>;
  /** Above these amounts two different people close a difference. */
  twoAbove: AmountsByCurrency;
};

type Row = Selectable<DifferenceTable>;

/**
 * Closes a difference, on its locked row and together with its line in the audit log. Above the configured amount the
 * first person proposes and a second one closes.
 */
export async function closeDifference(
  { db, twoAbove }: DifferenceDeps,
  { operator }: OperatorContext,
  { differenceId, reason }: { differenceId: string; reason: string },
): Promise<CommandReply<Difference>> {
  return await onOpenDifference(db, differenceId, async (trx, row) => {
    const actor = operator.name;
    const limit = twoAbove.get(row.currency);
    const isFirstOfTwo = limit !== undefined && row.amount_minor > limit && row.state === "OPEN";
    if (row.proposed_by === actor) return "same_person";
    const set = isFirstOfTwo
      ? ({ state: "PROPOSED", proposed_by: actor, reason } as const)
      : ({ state: "CLOSED", closed_by: actor, reason, ended_at: sql<Date>`now()` } as const);
    await trx.updateTable("difference").set(set).where("difference_id", "=", differenceId).execute();
    await audit(trx, actor, isFirstOfTwo ? "difference.closing_proposed" : "difference.closed", row, {
      reason,
    });
    return undefined;
  });
}

/** Adds a note, and records who looks into it. */
export async function noteDifference(
  { db }: DifferenceDeps,
  { operator }: OperatorContext,
  { differenceId, note, assignee }: { differenceId: string; note: string; assignee?: string | undefined },
): Promise<CommandReply<Difference>> {
  return await onOpenDifference(db, differenceId, async (trx, row) => {
    const actor = operator.name;
    await trx.insertInto("difference_note").values({ difference_id: differenceId, actor, note }).execute();
    if (assignee !== undefined)
      await trx
        .updateTable("difference")
        .set({ assignee })
        .where("difference_id", "=", differenceId)
        .execute();
    await audit(trx, actor, "difference.noted", row, { note, ...(assignee !== undefined && { assignee }) });
    return undefined;
  });
}

async function onOpenDifference(
  db: Kysely<SettlementDatabase>,
  differenceId: string,
  change: (trx: Transaction<SettlementDatabase>, row: Row) => Promise<ProblemCode | undefined>,
): Promise<CommandReply<Difference>> {
  const problem = await db.transaction().execute(async (trx): Promise<ProblemCode | undefined> => {
    const row = await trx
      .selectFrom("difference")
      .selectAll()
      .where("difference_id", "=", differenceId)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return "difference_not_found";
    if (row.state === "CLOSED" || row.state === "RESOLVED") return "difference_ended";
    return await change(trx, row);
  });
  if (problem) return { outcome: "problem", code: problem };
  return { outcome: "done", result: await describeDifference(db, differenceId) };
}

async function audit(
  trx: Transaction<SettlementDatabase>,
  actor: string,
  action: string,
  row: Row,
  detail: Record<string, unknown>,
): Promise<void> {
  const { difference_id: subject, class: kind, amount_minor, currency } = row;
  await appendAudit(trx, {
    actor,
    action,
    subject,
    detail: { class: kind, amountMinor: `${amount_minor}`, currency, ...detail },
  });
}
