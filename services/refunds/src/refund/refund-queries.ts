import { fromNow, msSince, msUntilFirst } from "@holdfast/postgres";
import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import { endBy, type BankStep } from "./refund-bank.ts";
import { shownReference, type RefundRow } from "./refund-record.ts";

/** A refund under this process's lease. All times are by the database's clock. */
export type LeasedRefund = RefundRow & {
  lease_token: string;
  state_age_ms: number;
};

/** SQL for the milliseconds that a refund has been in its state. */
export function stateAgeMs(): RawBuilder<number> {
  return msSince("state_since");
}

/** One refund, and whether a process works on it now, by the database's clock. @param merchantId undefined for operators. */
export async function findRefund(
  db: Kysely<RefundsDatabase>,
  refundId: string,
  merchantId?: string,
): Promise<(RefundRow & { lease_is_live: boolean }) | undefined> {
  return await db
    .selectFrom("refund")
    .selectAll()
    .select(leaseIsLive().as("lease_is_live"))
    .where("refund_id", "=", refundId)
    .$if(merchantId !== undefined, (query) => query.where("merchant_id", "=", merchantId!))
    .executeTakeFirst();
}

/** The refund's row, locked until the transaction ends, and whether a process works on it now. */
export async function lockRefund(
  trx: Transaction<RefundsDatabase>,
  refundId: string,
): Promise<
  (Omit<LeasedRefund, "lease_token"> & { lease_is_live: boolean; lease_token: string | null }) | undefined
> {
  return await trx
    .selectFrom("refund")
    .selectAll()
    .select([leaseIsLive().as("lease_is_live"), stateAgeMs().as("state_age_ms")])
    .where("refund_id", "=", refundId)
    .forUpdate()
    .executeTakeFirst();
}

function leaseIsLive(): RawBuilder<boolean> {
  return sql<boolean>`coalesce(lease_until > now(), false)`;
}

/**
 * Leases one account's refunds that are under way and that no process works on, longest-waiting first. Any
 * number of workers may call it side by side: each gets others.
 *
 * @param refundId leases only this refund, due or not; the caller has locked it and checked that no process
 * works on it.
 */
export async function leaseDue(
  db: Kysely<RefundsDatabase>,
  options: { leaseMs: number } & ({ limit: number; accountId: string | null } | { refundId: string }),
): Promise<LeasedRefund[]> {
  const { leaseMs } = options;
  const underWay = db.selectFrom("refund").select("refund_id");
  const due =
    "limit" in options
      ? underWay
          .where("recover_at", "<=", sql<Date>`now()`)
          .where("account_id", "is not distinct from", options.accountId)
          .orderBy("recover_at")
          .limit(options.limit)
          .forUpdate()
          .skipLocked()
      : underWay.where("refund_id", "=", options.refundId).where("recover_at", "is not", null);
  return await db
    .updateTable("refund")
    .set({
      lease_token: sql<string>`gen_random_uuid()`,
      lease_until: fromNow(leaseMs),
      recover_at: fromNow(leaseMs),
      notified_at: null,
      updated_at: sql<Date>`now()`,
    })
    .where("refund_id", "in", due)
    .returningAll()
    .returning(stateAgeMs().as("state_age_ms"))
    .$narrowType<{ lease_token: string }>()
    .execute();
}

/**
 * The milliseconds until {@link leaseDue} can lease something of any account; undefined if nothing is under
 * way.
 */
export async function dueInMs(db: Kysely<RefundsDatabase>): Promise<number | undefined> {
  const first = await db
    .selectFrom("refund")
    .select(msUntilFirst("recover_at").as("in_ms"))
    .where("recover_at", "is not", null)
    .executeTakeFirstOrThrow();
  return first.in_ms ?? undefined;
}

/** The accounts with a refund under way, and null for refunds that wait for their reservation. */
export async function accountsUnderWay(db: Kysely<RefundsDatabase>): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom("refund")
    .select("account_id")
    .distinct()
    .where("recover_at", "is not", null)
    .where("account_id", "is not", null)
    .execute();
  return [null, ...rows.map(({ account_id }) => account_id)];
}

/** The least time between an inquiry about a refund and one that a bank's notification brings forward. */
const NOTIFIED_REST_MS = 5_000;

/**
 * Makes a refund that the bank is asked about due now, or {@link NOTIFIED_REST_MS} after the last attempt.
 * If a process works on it, the next inquiry is brought forward instead (`postpone`). Does nothing for a
 * refund that is not with the bank, or is due already.
 */
export async function bringInquiryForward(db: Kysely<RefundsDatabase>, refundId: string): Promise<void> {
  const sooner = sql<Date>`greatest(now(), updated_at + ${NOTIFIED_REST_MS} * interval '1 millisecond')`;
  await db
    .updateTable("refund")
    .set({
      notified_at: sql<Date>`now()`,
      recover_at: sql<Date>`case when ${leaseIsLive()} then recover_at else ${sooner} end`,
    })
    .where("refund_id", "=", refundId)
    .where("state", "=", "EXECUTING")
    .where(sql<boolean>`case when ${leaseIsLive()} then notified_at is null else recover_at > ${sooner} end`)
    .execute();
}

/**
 * Stores our reference at the bank beside the refund and, if the bank says that it paid another amount, its
 * whole answer for operators; the lease stays.
 */
export async function keepAnswer(
  db: Kysely<RefundsDatabase>,
  { refund_id, lease_token, ...refund }: LeasedRefund,
  { answer, reference }: Pick<BankStep, "answer" | "reference">,
): Promise<void> {
  const other = answer.kind === "approved" && !endBy(refund, answer) ? answer : undefined;
  const isNew = reference !== undefined && reference !== shownReference({ ...refund, refund_id });
  if (!other && !isNew) return;
  await db
    .updateTable("refund")
    .set({
      ...(isNew && { bank_reference: reference }),
      ...(other && {
        approved_minor: BigInt(other.amountMinor),
        approved_currency: other.currency,
        external_transaction_id: other.externalTransactionId,
        auth_code: other.authCode,
        result_code: other.resultCode,
        result_message: other.resultMessage,
      }),
      updated_at: sql<Date>`now()`,
    })
    .where("refund_id", "=", refund_id)
    .where("lease_token", "=", lease_token)
    .execute();
}

/**
 * Ends the lease and sets the time of the next attempt; does nothing if the lease is no longer ours. A
 * notification may have arrived during the lease without this inquiry knowing, and then the next one comes
 * soon.
 */
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
      recover_at: sql<Date>`least(${fromNow(inMs)},
        case when notified_at is not null then ${fromNow(NOTIFIED_REST_MS)} end)`,
      notified_at: null,
      recovery_attempts: sql<number>`recovery_attempts + 1`,
      last_inquiry: cause,
      updated_at: sql<Date>`now()`,
    })
    .where("refund_id", "=", refund_id)
    .where("lease_token", "=", lease_token)
    .execute();
}
