import type { Transaction } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { LeasedRefund } from "../refund/refund-queries.ts";

/** Deletes a refund that was never shown. @returns false when it is no longer RESERVING under our lease. */
export async function dropRefund(trx: Transaction<RefundsDatabase>, refund: LeasedRefund): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom("refund")
    .where("refund_id", "=", refund.refund_id)
    .where("state", "=", "RESERVING")
    .where("lease_token", "=", refund.lease_token)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}
