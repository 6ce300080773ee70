import { sql, type Kysely, type Selectable } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import type { PaymentReversalTable } from "./reversal-table.ts";

export type Reversal = Selectable<PaymentReversalTable>;

/** What the bank has said of a payment that is to be reversed; undefined until it has said anything worth keeping. */
export async function findReversal(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
): Promise<Reversal | undefined> {
  return await db
    .selectFrom("payment_reversal")
    .selectAll()
    .where("payment_id", "=", paymentId)
    .executeTakeFirst();
}

/** The bank's answers, as far as each is new. */
export type BankSaid = {
  /** The amount that it approved under the payment's reference. */
  approvedMinor?: bigint;
  /** A reversal left this machine, whatever came of it. */
  sent?: true;
  /** The money is settled: only a refund gives it back. */
  settled?: true;
  refusal?: { resultCode: string; resultMessage: string };
  /**
   * It has called the refund under this sub-reference too late; the next one is taken. A process that was overtaken may
   * hear so again, when the refund has been sent under the next one, which must then stay.
   */
  refundExpired?: number;
};

/** Keeps what the bank has said. A time that is known stays the first one; a refusal is the last one. */
export async function noteBankSaid(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
  { approvedMinor, sent, settled, refusal, refundExpired }: BankSaid,
): Promise<void> {
  const now = sql<Date>`now()`;
  const set = {
    ...(approvedMinor !== undefined && { approved_minor: approvedMinor }),
    // What it refused before its day was over says nothing about a refund.
    ...(settled && { refused_at: null, refusal_code: null, refusal_message: null }),
    ...(refusal && {
      refused_at: now,
      refusal_code: refusal.resultCode,
      refusal_message: refusal.resultMessage,
    }),
  };
  await db
    .insertInto("payment_reversal")
    .values({
      payment_id: paymentId,
      ...set,
      ...(sent && { sent_at: now }),
      ...(settled && { settled_at: now }),
      ...(refundExpired !== undefined && { refund_sub_reference: refundExpired + 1 }),
    })
    .onConflict((conflict) =>
      conflict.column("payment_id").doUpdateSet({
        payment_id: paymentId,
        ...set,
        ...(sent && { sent_at: sql<Date>`coalesce(payment_reversal.sent_at, now())` }),
        ...(settled && { settled_at: sql<Date>`coalesce(payment_reversal.settled_at, now())` }),
        ...(refundExpired !== undefined && {
          refund_sub_reference: sql<number>`greatest(payment_reversal.refund_sub_reference, ${refundExpired + 1}::smallint)`,
        }),
      }),
    )
    .execute();
}
