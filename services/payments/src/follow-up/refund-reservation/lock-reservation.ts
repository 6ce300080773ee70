import type { Selectable, Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import type { RefundReservationTable } from "./reservation-table.ts";

type Reservation = Selectable<RefundReservationTable>;

/**
 * A reservation whose payment is locked before it, as in reserving and sending a refund: two transactions that take the
 * same locks in two orders wait for each other until the database ends one of them.
 */
export async function lockWithPayment(
  trx: Transaction<PaymentsDatabase>,
  refundId: string,
): Promise<{ payment: PaymentRow | undefined; reservation: Reservation | undefined }> {
  const payment = await trx
    .selectFrom("payment")
    .selectAll()
    .where("payment_id", "=", (of) =>
      of.selectFrom("refund_reservation").select("payment_id").where("refund_id", "=", refundId),
    )
    .forUpdate()
    .executeTakeFirst();
  return { payment, reservation: await lockReservation(trx, refundId) };
}

export async function lockReservation(
  trx: Transaction<PaymentsDatabase>,
  refundId: string,
): Promise<Reservation | undefined> {
  return await trx
    .selectFrom("refund_reservation")
    .selectAll()
    .where("refund_id", "=", refundId)
    .forUpdate()
    .executeTakeFirst();
}
