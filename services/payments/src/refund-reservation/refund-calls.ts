/**
 * Refunds at a bank that does not give our reference of one back. Two under way on one payment could not be told apart, so one
 * follows the other; and what the bank is known to have done for one is never taken for another.
 */
import type { Verdict } from "@holdfast/acquirer";
import type { RefundAtBank } from "@holdfast/contracts";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { lockPayment } from "../operation/operation-queries.ts";

type Db = Kysely<PaymentsDatabase>;

/** @returns false while another refund of the payment has been sent and its outcome is not known. */
export async function beginCall(db: Db, { refundId, paymentId }: RefundAtBank): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    await lockPayment(trx, paymentId, undefined);
    const other = await trx
      .selectFrom("refund_reservation")
      .select("refund_id")
      .where("payment_id", "=", paymentId)
      .where("refund_id", "<>", refundId)
      .where("state", "=", "ACTIVE")
      .where("sent_at", "is not", null)
      .where("external_transaction_id", "is", null)
      .executeTakeFirst();
    if (other) return false;
    await trx
      .updateTable("refund_reservation")
      .set({ sent_at: sql<Date>`now()` })
      .where("refund_id", "=", refundId)
      .execute();
    return true;
  });
}

/** Keeps what the bank named it, or that nothing of it is under way. An unknown outcome changes nothing. */
export async function noteAnswer(db: Db, { refundId }: RefundAtBank, verdict: Verdict): Promise<void> {
  const known = ANSWERS[verdict.kind];
  if (!known) return;
  const id = verdict.kind === "approved" ? verdict.externalTransactionId.slice(0, 64) : "";
  await db
    .updateTable("refund_reservation")
    .set(id === "" ? { sent_at: null } : { external_transaction_id: id })
    .where("refund_id", "=", refundId)
    .execute();
}

/** Whether an answer says what became of the call. */
const ANSWERS: Record<Verdict["kind"], boolean> = {
  approved: true,
  declined: true,
  not_sent: true,
  expired: true,
  reversed: false,
  not_found: false,
  unknown: false,
};

/** What the bank named the other refunds of the payment, and whether it may have done something for one that has no name yet. */
export async function otherRefunds(
  db: Db,
  { refundId, paymentId }: RefundAtBank,
): Promise<{ transactionIds: string[]; isOneUnderWay: boolean }> {
  const rows = await db
    .selectFrom("refund_reservation")
    .select(["external_transaction_id", "sent_at", "state"])
    .where("payment_id", "=", paymentId)
    .where("refund_id", "<>", refundId)
    .execute();
  return {
    transactionIds: rows.flatMap(({ external_transaction_id: id }) => id ?? []),
    isOneUnderWay: rows.some(
      ({ external_transaction_id: id, sent_at, state }) =>
        state === "ACTIVE" && sent_at !== null && id === null,
    ),
  };
}
