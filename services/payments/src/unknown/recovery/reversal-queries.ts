import { msSince } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentReversalTable } from "./reversal-table.ts";

/**
 * The reversal with the time since its refund was sent last, and since the last reversal that may still take effect, by
 * the database's clock; null where nothing of it can arrive.
 */
export type Reversal = Selectable<PaymentReversalTable> & {
  refund_sent_ms_ago: number | null;
  last_sent_ms_ago: number | null;
};

/** The state of a payment's reversal; undefined until one is sent, or the bank has said anything worth keeping. */
export async function findReversal(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
): Promise<Reversal | undefined> {
  return await db
    .selectFrom("payment_reversal")
    .selectAll()
    .select(msSince<number | null>("refund_sent_at").as("refund_sent_ms_ago"))
    .select(msSince<number | null>("last_sent_at").as("last_sent_ms_ago"))
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
export async function recordBankAnswer(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
  { approvedMinor, sent, settled, refusal, refundExpired }: BankSaid,
): Promise<void> {
  const now = sql<Date>`now()`;
  const set = {
    ...(approvedMinor !== undefined && { approved_minor: approvedMinor }),
    // A refusal before its day was over says nothing about a refund.
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
          refund_sent_at: sql<Date | null>`case when payment_reversal.refund_sub_reference > ${refundExpired}
            then payment_reversal.refund_sent_at end`,
          refund_sub_reference: sql<number>`greatest(payment_reversal.refund_sub_reference, ${refundExpired + 1}::smallint)`,
        }),
      }),
    )
    .execute();
}

/**
 * Commits, before the refund is sent, that it may have been sent.
 * @returns which sending it is, or undefined where another process has sent it since `reversal` was read.
 */
export async function recordRefundSending(
  db: Kysely<PaymentsDatabase>,
  { payment_id, refund_sends }: Reversal,
): Promise<number | undefined> {
  const sent = await db
    .updateTable("payment_reversal")
    .set({ refund_sent_at: sql<Date>`now()`, refund_sends: refund_sends + 1 })
    .where("payment_id", "=", payment_id)
    .where("refund_sends", "=", refund_sends)
    .returning("refund_sends")
    .executeTakeFirst();
  return sent?.refund_sends;
}

/** Notes that nothing of that sending left this machine, and that none before it can arrive any more. */
export async function recordRefundNotSent(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
  sending: number,
): Promise<void> {
  await db
    .updateTable("payment_reversal")
    .set({ refund_sent_at: null })
    .where("payment_id", "=", paymentId)
    .where("refund_sends", "=", sending)
    .execute();
}
