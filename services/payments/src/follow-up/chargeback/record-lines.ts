import { randomUUIDv7 } from "node:crypto";
import { appendAudit } from "@holdfast/audit";
import type { ChargebackLine, CommandReply } from "@holdfast/contracts";
import type { Kysely, Selectable, Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { lockPayment } from "../../payment/payment-queries.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { afterReversal, caseOfLine, caseOfReversal, type ChargebackKind } from "./chargeback.ts";
import { casesOf, changeCase, insertCase } from "./chargeback-queries.ts";
import type { ChargebackLineTable } from "./chargeback-tables.ts";

type Trx = Transaction<PaymentsDatabase>;
type LineRow = Selectable<ChargebackLineTable>;
export type ChargebackDeps = { db: Kysely<PaymentsDatabase> };

/**
 * Records lines of banks' files about chargebacks, and about refunds that were not made here. Each line is
 * one transaction, and counts once however often it is sent. No amount is refused: the bank has taken the
 * money, whatever is known here.
 */
export async function recordLines(
  deps: ChargebackDeps,
  lines: readonly ChargebackLine[],
): Promise<CommandReply<{ recorded: string[] }>> {
  const recorded: string[] = [];
  for (const line of lines) if (await recordLine(deps, line)) recorded.push(line.lineId);
  return { outcome: "done", result: { recorded } };
}

/** @returns whether it is kept now; it is not where its payment is not known. */
async function recordLine({ db }: ChargebackDeps, line: ChargebackLine): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    const payment = await lockPayment(trx, line.paymentId, undefined);
    if (!payment) return false;
    const known = await trx
      .selectFrom("chargeback_line")
      .select("line_id")
      .where("line_id", "=", line.lineId)
      .executeTakeFirst();
    if (known) return true;
    const { kind } = line;
    const chargebackId =
      kind === "CHARGEBACK_REVERSAL" ? null : await takeCase(trx, payment, { ...line, kind });
    await trx
      .insertInto("chargeback_line")
      .values({
        line_id: line.lineId,
        kind: line.kind,
        payment_id: payment.payment_id,
        chargeback_id: chargebackId,
        amount_minor: BigInt(line.amountMinor),
        currency: line.currency,
        bank_reference: line.bankReference ?? null,
      })
      .execute();
    await giveBack(trx, payment);
    return true;
  });
}

/** The case that the line is about: one that people have opened, or a new one. @returns its id. */
async function takeCase(
  trx: Trx,
  payment: PaymentRow,
  line: ChargebackLine & { kind: ChargebackKind },
): Promise<string> {
  const { kind, currency, bankReference } = line;
  const amount_minor = BigInt(line.amountMinor);
  const known = caseOfLine({ kind, amount_minor, currency }, await casesOf(trx, payment.payment_id));
  if (known) return known.chargeback_id;
  const opened = await insertCase(trx, payment, {
    chargeback_id: randomUUIDv7(),
    kind,
    amount_minor,
    currency,
    reason_code: null,
    bank_reference: bankReference || null,
    respond_by: null,
    opened_by: null,
  });
  await audit(trx, "chargeback.reported", opened.chargeback_id, line);
  return opened.chargeback_id;
}

/** Matches reversal lines without a case to their cases: a file may name the two in any order. */
export async function giveBack(trx: Trx, payment: PaymentRow): Promise<void> {
  const waiting = await trx
    .selectFrom("chargeback_line")
    .selectAll()
    .where("payment_id", "=", payment.payment_id)
    .where("chargeback_id", "is", null)
    .orderBy("recorded_at")
    .execute();
  for (const line of waiting) await giveBackBy(trx, payment, line);
}

async function giveBackBy(trx: Trx, payment: PaymentRow, line: LineRow): Promise<void> {
  const found = caseOfReversal(line, await casesOf(trx, payment.payment_id));
  if (!found) return;
  const after = afterReversal(found, line.amount_minor);
  const decided_by = after.status === found.status ? found.decided_by : null;
  await changeCase(trx, payment, found, { ...after, decided_by });
  await trx
    .updateTable("chargeback_line")
    .set({ chargeback_id: found.chargeback_id })
    .where("line_id", "=", line.line_id)
    .execute();
  await audit(trx, "chargeback.given_back", found.chargeback_id, {
    lineId: line.line_id,
    paymentId: line.payment_id,
    amountMinor: `${line.amount_minor}`,
    currency: line.currency,
  });
}

async function audit(
  trx: Trx,
  action: string,
  subject: string,
  line: Pick<ChargebackLine, "lineId" | "paymentId" | "amountMinor" | "currency">,
): Promise<void> {
  const { lineId, paymentId, amountMinor, currency } = line;
  await appendAudit(trx, {
    actor: "settlement",
    action,
    subject,
    detail: { paymentId, amountMinor, currency, line: lineId },
  });
}
