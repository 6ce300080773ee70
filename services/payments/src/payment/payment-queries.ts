import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import type { PaymentRow } from "./payment-record.ts";

/** One payment of the merchant; another merchant's is as unknown as one that does not exist. */
export async function findPayment(
  db: Kysely<PaymentsDatabase>,
  merchantId: string,
  paymentId: string,
): Promise<PaymentRow | undefined> {
  return await db
    .selectFrom("payment")
    .selectAll()
    .where("payment_id", "=", paymentId)
    .where("merchant_id", "=", merchantId)
    .executeTakeFirst();
}
