/**
 * The rows of chargebacks. Every change of a case is made under the lock of its payment's row, and counts on it in the same
 * transaction: refunds are reserved and sent under the same lock.
 */
import { PAYMENT_CHARGEBACK } from "@holdfast/contracts";
import { sql, type Kysely, type Selectable, type Transaction, type Updateable } from "kysely";
import { sentMovements } from "../../bank/ledger/call-queries.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { paymentRecord, type PaymentRow } from "../../payment/payment-record.ts";
import { merchantStatus } from "../../payment/payment.ts";
import { countedMinor, excessMinor, lowerExcesses } from "./chargeback.ts";
import { merchantChargeback, type CaseRow, type EvidenceRow } from "./chargeback-record.ts";
import type { ChargebackTable } from "./chargeback-tables.ts";

type Db = Kysely<PaymentsDatabase>;
type Trx = Transaction<PaymentsDatabase>;

/** A value and not an `exists`, for which the planner would put all lines into a hash once there are many cases. */
const isReported = sql<boolean>`coalesce((
  select true from chargeback_line as line
  where line.chargeback_id = chargeback.chargeback_id and line.kind <> 'CHARGEBACK_REVERSAL' limit 1), false)`;

/** Cases with the further columns of their record. */
export function selectCases(db: Db) {
  return db
    .selectFrom("chargeback")
    .innerJoin("payment", "payment.payment_id", "chargeback.payment_id")
    .selectAll("chargeback")
    .select([
      isReported.as("is_reported"),
      "payment.order_id",
      "payment.currency_exponent as payment_exponent",
    ]);
}

export async function findCase(db: Db, chargebackId: string): Promise<CaseRow | undefined> {
  return await selectCases(db).where("chargeback_id", "=", chargebackId).executeTakeFirst();
}

/** The cases of a payment, oldest first. */
export async function casesOf(db: Db, paymentId: string): Promise<CaseRow[]> {
  return await selectCases(db)
    .where("chargeback.payment_id", "=", paymentId)
    .orderBy("chargeback.created_at")
    .orderBy("chargeback.chargeback_id")
    .execute();
}

/** Files that are whole, in the order in which they came. */
export async function evidenceOf(db: Db, chargebackId: string): Promise<EvidenceRow[]> {
  return await db
    .selectFrom("chargeback_evidence")
    .selectAll()
    .where("chargeback_id", "=", chargebackId)
    .where("sealed_at", "is not", null)
    .orderBy("created_at")
    .orderBy("evidence_id")
    .execute();
}

export type NewCase = Pick<
  Selectable<ChargebackTable>,
  | "chargeback_id"
  | "kind"
  | "amount_minor"
  | "currency"
  | "reason_code"
  | "bank_reference"
  | "respond_by"
  | "opened_by"
>;

/** Opens a case of the payment, whose row the caller has locked, and counts it there. */
export async function insertCase(trx: Trx, payment: PaymentRow, one: NewCase): Promise<CaseRow> {
  const counted = countedMinor({ ...one, status: "OPEN", reversed_minor: 0n }, payment);
  const { payment_id, merchant_id, order_id } = payment;
  const inserted = await trx
    .insertInto("chargeback")
    .values({
      ...one,
      payment_id,
      merchant_id,
      counted_minor: counted,
      excess_minor: excessMinor(counted, payment, await sentMinor(trx, payment)),
      proposed_outcome: null,
      proposed_by: null,
      proposed_at: null,
      outcome_reason: null,
      decided_by: null,
      ended_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const row = { ...inserted, is_reported: false, order_id, payment_exponent: payment.currency_exponent };
  await count(trx, payment, counted);
  await recordEvent(trx, payment, row);
  return row;
}

/** Changes a case of the locked payment, and what it counts there; the merchant learns of another status. */
export async function changeCase(
  trx: Trx,
  payment: PaymentRow,
  before: CaseRow,
  set: Omit<Updateable<ChargebackTable>, "chargeback_id" | "payment_id" | "counted_minor" | "currency">,
): Promise<CaseRow> {
  const { status = before.status, reversed_minor = before.reversed_minor } = set;
  const counted = countedMinor({ ...before, status, reversed_minor }, payment);
  const isEnding = status !== before.status;
  const changed = await trx
    .updateTable("chargeback")
    .set({ ...set, counted_minor: counted, ...(isEnding && { ended_at: sql<Date>`now()` }) })
    .where("chargeback_id", "=", before.chargeback_id)
    .where("status", "=", before.status)
    .returningAll()
    .executeTakeFirst();
  if (!changed) throw new Error("a chargeback changed under its payment's lock");
  const row = { ...before, ...changed };
  await count(trx, payment, counted - before.counted_minor);
  if (status !== before.status) await recordEvent(trx, payment, row);
  return row;
}

/**
 * Lowers the twice-paid amount of the locked payment's cases after a refund or a void was not carried out.
 */
export async function lowerExcess(trx: Trx, payment: PaymentRow): Promise<void> {
  if (payment.charged_back_minor === 0n) return;
  const { payment_id } = payment;
  const lower = lowerExcesses(await casesOf(trx, payment_id), payment, await sentMinor(trx, payment));
  for (const { chargeback_id, excess_minor } of lower) {
    await trx
      .updateTable("chargeback")
      .set({ excess_minor })
      .where("chargeback_id", "=", chargeback_id)
      .execute();
  }
}

/** The sum of the payment's refunds and voids that may be under way at this moment: once sent, they count as paid. */
async function sentMinor(
  trx: Trx,
  { payment_id: paymentId, operation_id }: Pick<PaymentRow, "payment_id" | "operation_id">,
): Promise<bigint> {
  const sent = await sentMovements(trx, paymentId);
  if (sent.length === 0) return 0n;
  const { minor } = await trx
    .selectFrom("refund_reservation")
    .select(sql<bigint>`coalesce(sum(amount_minor), 0)::bigint`.as("minor"))
    .where("refund_id", "in", sent)
    .where("state", "=", "ACTIVE")
    .executeTakeFirstOrThrow();
  const voided = await trx
    .selectFrom("payment_operation")
    .select("amount_minor")
    .where("operation_id", "=", operation_id)
    .where("operation_id", "in", sent)
    .where("kind", "<>", "CAPTURE")
    .executeTakeFirst();
  return minor + (voided?.amount_minor ?? 0n);
}

/** @param payment shows the amount that it has afterwards. */
async function count(trx: Trx, payment: PaymentRow, minor: bigint): Promise<void> {
  const { charged_back_minor } = await trx
    .updateTable("payment")
    .set({
      charged_back_minor: sql<bigint>`charged_back_minor + ${minor}`,
      updated_at: sql<Date>`now()`,
    })
    .where("payment_id", "=", payment.payment_id)
    .returning("charged_back_minor")
    .executeTakeFirstOrThrow();
  payment.charged_back_minor = charged_back_minor;
}

async function recordEvent(trx: Trx, payment: PaymentRow, row: CaseRow): Promise<void> {
  const { payment_id, merchant_id, traceparent } = payment;
  const body = { ...paymentRecord(payment), chargeback: merchantChargeback(row) };
  await trx
    .insertInto("outbox")
    .values({
      event_type: PAYMENT_CHARGEBACK,
      payment_id,
      merchant_id,
      status: merchantStatus(payment.state),
      body: Buffer.from(JSON.stringify(body)),
      traceparent,
    })
    .execute();
}
