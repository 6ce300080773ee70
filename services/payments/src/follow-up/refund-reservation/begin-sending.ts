import type { RefundAtBank } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { lockPayment } from "../operation/operation-queries.ts";
import { mayBePaid } from "../../payment/refundable-minor.ts";

type Db = Kysely<PaymentsDatabase>;

/** A refund that may be sent, with the reference under which it had been sent before. */
type Sending = { sentBefore: number | null };

/**
 * Commits that a refund is about to be sent, unless a chargeback has taken what it would pay. Chargebacks are counted under the
 * same lock: either one that comes after this sees the refund as paid, or this sees the chargeback, and nothing is sent. A
 * refund that was sent under the reference before may have been paid, and is sent again; under another reference it is judged
 * again, since the bank has said that nothing was paid under the one before.
 *
 * @returns undefined where it does not fit any more, and that it is gone where it is not reserved any more.
 */
export async function beginSending(db: Db, refund: RefundAtBank): Promise<Sending | "gone" | undefined> {
  const { refundId, paymentId, subReference } = refund;
  return await db.transaction().execute(async (trx) => {
    const payment = await lockPayment(trx, paymentId, undefined);
    const reservations = await trx
      .selectFrom("refund_reservation")
      .select(["refund_id", "amount_minor", "sent_reference"])
      .where("payment_id", "=", paymentId)
      .where("state", "=", "ACTIVE")
      .execute();
    const own = reservations.find(({ refund_id }) => refund_id === refundId);
    if (!payment || !own) return "gone";
    const sentBefore = own.sent_reference;
    if (sentBefore === subReference) return { sentBefore };
    const sentMinor = reservations
      .filter(({ refund_id, sent_reference }) => refund_id !== refundId && sent_reference !== null)
      .reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
    if (!mayBePaid(payment, own.amount_minor, sentMinor)) return undefined;
    await setSent(trx, refundId, subReference);
    return { sentBefore };
  });
}

/** It has certainly not been sent this time. */
export async function noteUnsent(
  db: Db,
  { refundId }: Pick<RefundAtBank, "refundId">,
  { sentBefore }: Sending,
): Promise<void> {
  await setSent(db, refundId, sentBefore);
}

async function setSent(db: Db, refundId: string, reference: number | null): Promise<void> {
  await db
    .updateTable("refund_reservation")
    .set({ sent_reference: reference })
    .where("refund_id", "=", refundId)
    .where("state", "=", "ACTIVE")
    .execute();
}
