import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import type { PaymentRow } from "./payment-record.ts";

/** A payment with whether a process is working on it now, by the database's clock, in one consistent read. */
export type FoundPayment = PaymentRow & { lease_is_live: boolean };

/** One payment of the merchant; another merchant's is as unknown as one that does not exist. */
export async function findPayment(
  db: Kysely<PaymentsDatabase>,
  merchantId: string,
  paymentId: string,
): Promise<FoundPayment | undefined> {
  return await db
    .selectFrom("payment")
    .selectAll()
    .select(sql<boolean>`coalesce(lease_until > now(), false)`.as("lease_is_live"))
    .where("payment_id", "=", paymentId)
    .where("merchant_id", "=", merchantId)
    .executeTakeFirst();
}
