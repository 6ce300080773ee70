import { CHARGEBACK_LINES_MAX, recordChargebackLines, type ChargebackLine } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import { askOwner, type AskDeps } from "../ask-owner.ts";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";

export type SendDeps = AskDeps & { db: Kysely<SettlementDatabase>; events: BusinessEvents };

/**
 * Sends payments each chargeback line of the banks' files, until it has each line: this service cannot move money, and
 * payments counts a line once however often it is sent. A line whose payment it does not know is sent again later.
 */
export async function sendChargebacks(deps: SendDeps, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const lines = await takeDue(deps.db);
    if (lines.length === 0 || !(await send(deps, lines)) || lines.length < CHARGEBACK_LINES_MAX) return;
  }
}

/** Schedules the next try before this one, so that a process that dies leaves a later try. */
async function takeDue(db: Kysely<SettlementDatabase>): Promise<ChargebackLine[]> {
  const { rows } = await sql<ChargebackLine & { bankReference: string | null }>`
    with due as (
      update chargeback_report set tell_at = ${fromNow(AGAIN_MS)}
      where line_id in (
        select line_id from chargeback_report where tell_at <= now()
        order by tell_at limit ${CHARGEBACK_LINES_MAX} for update skip locked)
      returning line_id, import_id, line_no, payment_id
    )
    select due.line_id as "lineId", line.kind, due.payment_id as "paymentId", abs(line.gross_minor)::text as "amountMinor",
      line.currency, line.bank_reference as "bankReference"
    from due join line using (import_id, line_no)
    order by line.import_id, line.line_no`.execute(db);
  return rows.map(({ bankReference, ...line }) => ({
    ...line,
    ...(bankReference !== null && { bankReference }),
  }));
}

/** @returns whether it has answered. */
async function send(deps: SendDeps, lines: ChargebackLine[]): Promise<boolean> {
  const answer = await askOwner(deps, "payments", recordChargebackLines, { lines });
  if (!answer) return false;
  const { db, events } = deps;
  const { recorded } = answer;
  if (recorded.length > 0)
    await db
      .updateTable("chargeback_report")
      .set({ tell_at: null })
      .where("line_id", "in", recorded)
      .execute();
  const unknown = lines.length - recorded.length;
  if (unknown > 0) events.chargebacksUnknown(unknown);
  return true;
}

/** The time from one try to the next. */
const AGAIN_MS = 30_000;
