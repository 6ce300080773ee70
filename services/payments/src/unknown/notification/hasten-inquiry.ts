import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { NOTIFIED_REST_MS } from "../../payment/payment-lease.ts";

/**
 * Makes an undecided payment due for inquiry now, or, where one has just been made, {@link NOTIFIED_REST_MS} after it: however
 * many notifications come, no more inquiries than one in that time are made for them. Where a process works on it, the next
 * inquiry is brought forward instead (`postpone`). A challenge that its cardholder may still pass is left alone.
 *
 * @returns `not_needed` where it is decided, or due already; `not_ours` where the account has no such payment.
 */
export async function hastenInquiry(
  db: Kysely<PaymentsDatabase>,
  { paymentId, accountId }: { paymentId: string; accountId: string },
): Promise<"hastened" | "not_needed" | "not_ours"> {
  const { rows } = await sql<{ is_hastened: boolean }>`
    with named as (
      select payment_id, lease_until > now() as is_leased,
        greatest(now(), updated_at + ${NOTIFIED_REST_MS} * interval '1 millisecond') as sooner
      from payment where payment_id = ${paymentId} and account_id = ${accountId}
    ), hastened as (
      update payment set notified_at = now(), recover_at = case when is_leased then recover_at else sooner end
      from named
      where payment.payment_id = named.payment_id
        and case when is_leased then notified_at is null else recover_at > sooner end
        and (state <> 'ENROLLED' or recovery_from <= now())
      returning payment.payment_id
    )
    select exists (select from hastened) as is_hastened from named`.execute(db);
  if (!rows[0]) return "not_ours";
  return rows[0].is_hastened ? "hastened" : "not_needed";
}

/** Whether a refund of the account's payments is still to be carried out; undefined where it has no such refund. */
export async function isOpenRefund(
  db: Kysely<PaymentsDatabase>,
  { refundId, accountId }: { refundId: string; accountId: string },
): Promise<boolean | undefined> {
  const reservation = await db
    .selectFrom("refund_reservation")
    .innerJoin("payment", "payment.payment_id", "refund_reservation.payment_id")
    .select("refund_reservation.state")
    .where("refund_id", "=", refundId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return reservation && reservation.state === "ACTIVE";
}
