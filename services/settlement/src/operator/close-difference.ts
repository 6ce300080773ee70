import { appendAudit } from "@holdfast/audit";
import {
  operations,
  type AmountsByCurrency,
  type CommandReply,
  type Difference,
  type OperatorContext,
  type ProblemCode,
  type ReadByPerson,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { SettlementDatabase } from "../database.ts";
import type { Decision } from "../import/import-table.ts";
import type { DifferenceTable } from "../match/difference-table.ts";
import {
  acceptedBy,
  applyDecision,
  isSame,
  lockSubject,
  type Accepted,
  type InputFault,
} from "./accept-bank.ts";
import { describeDifference, DIFFERENCE } from "./list-differences.ts";

export type DifferenceDeps = {
  db: Kysely<SettlementDatabase>;
  /** Above these amounts two different people close a difference. */
  twoAbove: AmountsByCurrency;
};

/** The changes of a difference by operators. */
export function differenceHandlers(deps: DifferenceDeps) {
  return [
    handler(operations.noteDifference.command, ({ context, payload }) =>
      noteDifference(deps, context, payload),
    ),
    handler(operations.closeDifference.command, ({ context, payload }) =>
      closeDifference(deps, context, payload),
    ),
  ];
}

type Row = Selectable<DifferenceTable>;

type Closing = {
  differenceId: string;
  decision: Decision;
  reason: string;
  line?: ReadByPerson | undefined;
};

/**
 * Closes a difference, on its locked row and together with its line in the audit log, and records whether the
 * bank's amount counts. Above the configured amount the first person proposes, and a second person with the
 * same decision closes it. A different decision replaces the proposal.
 */
async function closeDifference(
  { db, twoAbove }: DifferenceDeps,
  { operator }: OperatorContext,
  { differenceId, decision, reason, line: read = {} }: Closing,
): Promise<CommandReply<Difference>> {
  return await onOpenDifference(db, differenceId, async (trx, row) => {
    const { name: actor, person } = operator;
    const accepted = await acceptedBy(trx, row, { decision, read });
    if ("field" in accepted) return accepted;
    const said = { decision, ...accepted };
    const isConfirmed = row.state === "PROPOSED" && isSame(row, said);
    if (isConfirmed && row.proposed_by === person) return "same_person";
    const isFirstOfTwo = !isConfirmed && needsTwo(twoAbove, row, accepted);
    const set = isFirstOfTwo
      ? ({ state: "PROPOSED", proposed_by: person, proposed_at: sql<Date>`now()` } as const)
      : ({
          state: "CLOSED",
          closed_by: person,
          ended_at: sql<Date>`now()`,
          ...(!isConfirmed && { proposed_by: null, proposed_at: null }),
        } as const);
    await trx
      .updateTable("difference")
      .set({ ...set, ...said, reason })
      .where("difference_id", "=", differenceId)
      .execute();
    if (!isFirstOfTwo) await applyDecision(trx, row, said);
    await audit(trx, actor, isFirstOfTwo ? "difference.closing_proposed" : "difference.closed", row, {
      decision,
      reason,
      ...(accepted.accepted_minor !== null && {
        acceptedMinor: `${accepted.accepted_minor}`,
        acceptedCurrency: accepted.accepted_currency,
        merchantId: accepted.accepted_merchant_id,
        day: accepted.accepted_day,
      }),
    });
    return undefined;
  });
}

/** An amount that nobody knows may be above any limit. */
function needsTwo(twoAbove: AmountsByCurrency, row: Row, accepted: Accepted): boolean {
  const currency = accepted.accepted_currency ?? row.currency;
  const amounts = [row.amount_minor, accepted.accepted_minor].filter((minor) => minor !== null);
  if (amounts.length === 0 || currency === null) return twoAbove.size > 0;
  const limit = twoAbove.get(currency);
  return limit !== undefined && amounts.some((minor) => minor > limit || -minor > limit);
}

/** Adds a note, and records who looks into it. */
async function noteDifference(
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
  change: (trx: Transaction<SettlementDatabase>, row: Row) => Promise<ProblemCode | InputFault | undefined>,
): Promise<CommandReply<Difference>> {
  const problem = await db
    .transaction()
    .execute(async (trx): Promise<ProblemCode | InputFault | undefined> => {
      await lockSubject(trx, differenceId);
      const row = await trx
        .selectFrom("difference")
        .select(DIFFERENCE)
        .where("difference_id", "=", differenceId)
        .forUpdate()
        .executeTakeFirst();
      if (!row) return "difference_not_found";
      if (row.state === "CLOSED" || row.state === "RESOLVED") return "difference_ended";
      return await change(trx, row);
    });
  if (typeof problem === "object")
    return { outcome: "problem", code: "validation_failed", extra: { errors: [problem] } };
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
    detail: {
      class: kind,
      ...(amount_minor !== null && { amountMinor: `${amount_minor}`, currency }),
      ...detail,
    },
  });
}
