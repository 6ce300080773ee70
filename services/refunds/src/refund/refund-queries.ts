import { fromNow } from "@holdfast/service-runtime";
import { sql, type Kysely, type Transaction } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import type { RefundRow } from "./refund-record.ts";

/** A refund under this process's lease. */
export type LeasedRefund = RefundRow & { lease_token: string };

/** One refund, and whether a process works on it now, by the database's clock. @param merchantId undefined for operators. */
export async function findRefund(
  db: Kysely<RefundsDatabase>,
  refundId: string,
  merchantId?: string,
): Promise<(RefundRow & { lease_is_live: boolean }) | undefined> {
  return await db
    .selectFrom("refund")
    .selectAll()
    .select(sql<boolean>`coalesce(lease_until > now(), false)`.as("lease_is_live"))
    .where("refund_id", "=", refundId)
    .$if(merchantId !== undefined, (query) => query.where("merchant_id", "=", merchantId!))
    .executeTakeFirst();
}

/** The refund's row, locked until the transaction ends. */
export async function lockRefund(
  trx: Transaction<RefundsDatabase>,
  refundId: string,
): Promise<RefundRow | undefined> {
  return await trx
    .selectFrom("refund")
    .selectAll()
    .where("refund_id", "=", refundId)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Leases refunds that are under way and that no process works on, those that wait longest first. Any number of workers
 * may call it side by side: each gets others.
 */
export async function leaseDue(
  db: Kysely<RefundsDatabase>,
  { leaseMs, limit }: { leaseMs: number; limit: number },
): Promise<LeasedRefund[]> {
  const due = db
    .selectFrom("refund")
    .select("refund_id")
    .where("recover_at", "<=", sql<Date>`now()`)
    .orderBy("recover_at")
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return await db
    .updateTable("refund")
    .set({
      lease_token: sql<string>`gen_random_uuid()`,
      lease_until: fromNow(leaseMs),
      recover_at: fromNow(leaseMs),
      updated_at: sql<Date>`now()`,
    })
    .where("refund_id", "in", due)
    .returningAll()
    .$narrowType<{ lease_token: string }>()
    .execute();
}

/** Renews the lease. @returns false when it is no longer ours. */
export async function renewLease(
  db: Kysely<RefundsDatabase>,
  { refund_id, lease_token }: LeasedRefund,
  { leaseMs, found }: { leaseMs: number; found: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("refund")
    .set({
      lease_until: fromNow(leaseMs),
      recover_at: fromNow(leaseMs),
      last_inquiry: found,
      updated_at: sql<Date>`now()`,
    })
    .where("refund_id", "=", refund_id)
    .where("lease_token", "=", lease_token)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends the lease and sets the time of the next attempt; does nothing when the lease is no longer ours. */
export async function postpone(
  db: Kysely<RefundsDatabase>,
  { refund_id, lease_token }: LeasedRefund,
  { inMs, cause }: { inMs: number; cause: string },
): Promise<void> {
  await db
    .updateTable("refund")
    .set({
      lease_token: null,
      lease_until: null,
      recover_at: fromNow(inMs),
      recovery_attempts: sql<number>`recovery_attempts + 1`,
      last_inquiry: cause,
      updated_at: sql<Date>`now()`,
    })
    .where("refund_id", "=", refund_id)
    .where("lease_token", "=", lease_token)
    .execute();
}
