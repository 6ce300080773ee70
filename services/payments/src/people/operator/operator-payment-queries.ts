import type { TimePosition } from "@holdfast/contracts";
import { msSince, ofMode, utcMicroseconds } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentOperationTable } from "../../follow-up/operation/operation-table.ts";
import type { PaymentHistoryTable } from "../../payment/payment-table.ts";
import { lastOperation, withOperation } from "../../payment/payment-queries.ts";
import type { LateSight, OperatorPaymentRow } from "./operator-payment.ts";

/**
 * Payments that recovery has asked about without an answer, or whose worker has vanished, oldest first. A payment that a
 * process works on for the first time is not unresolved but under way.
 */
export async function findUnresolved(
  db: Kysely<PaymentsDatabase>,
  {
    merchantId,
    livemode,
    from,
    to,
    limit,
    after,
  }: {
    merchantId?: string | undefined;
    /** Undefined for both modes. */
    livemode?: boolean | undefined;
    from?: string | undefined;
    to?: string | undefined;
    limit: number;
    after: TimePosition | undefined;
  },
): Promise<OperatorPaymentRow[]> {
  const conditions = [
    sql`true`,
    ...(merchantId === undefined ? [] : [sql`merchant_id = ${merchantId}`]),
    ...(livemode === undefined ? [] : [ofMode("merchant_id", livemode)]),
    ...(from === undefined ? [] : [sql`created_at >= ${from}::timestamptz`]),
    ...(to === undefined ? [] : [sql`created_at < ${to}::timestamptz`]),
    ...(after ? [sql`(created_at, payment_id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)`] : []),
  ];
  // Pending payments are read first, and all of them: an index has these few. Sorted by the page's order, the
  // planner would read all payments and discard most of them.
  const page = sql<string[]>`array(
    with waiting as materialized (
      select payment_id, created_at, merchant_id from payment
      where recover_at is not null and (recovery_attempts > 0 or lease_until < now()))
    select payment_id from waiting where ${sql.join(conditions, sql` and `)}
    order by created_at, payment_id limit ${limit})`;
  const rows = await withOperatorColumns(db)
    .where(sql<boolean>`payment.payment_id = any(${page})`)
    // An expression, whose order no index has: connections that lists use avoid a sort, and would rather go through the whole
    // index on the time to find these few.
    .orderBy(sql`created_at at time zone 'UTC'`)
    .orderBy("payment.payment_id")
    .execute();
  return rows.map(withOperation);
}

/** Any merchant's payment. */
export async function findForOperator(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
): Promise<OperatorPaymentRow | undefined> {
  const row = await withOperatorColumns(db).where("payment.payment_id", "=", paymentId).executeTakeFirst();
  return row && withOperation(row);
}

function withOperatorColumns(db: Kysely<PaymentsDatabase>) {
  return db
    .selectFrom("payment")
    .leftJoin("payment_resolution as resolution", "resolution.payment_id", "payment.payment_id")
    .selectAll("payment")
    .select([
      lastOperation().as("operation"),
      utcMicroseconds("created_at").as("created_at_utc"),
      msSince("created_at").as("age_ms"),
      "resolution.outcome as resolution_outcome",
      "resolution.evidence as resolution_evidence",
      "resolution.proposed_by as resolution_proposed_by",
      "resolution.proposed_at as resolution_proposed_at",
    ]);
}

/** The protocol of a payment's account. */
export async function findProtocol(
  db: Kysely<PaymentsDatabase>,
  accountId: string,
): Promise<string | undefined> {
  const query = db.selectFrom("acquirer_account").select("protocol").where("account_id", "=", accountId);
  return (await query.executeTakeFirst())?.protocol;
}

export async function findHistory(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
): Promise<Selectable<PaymentHistoryTable>[]> {
  return await db
    .selectFrom("payment_history")
    .selectAll()
    .where("payment_id", "=", paymentId)
    .orderBy("version")
    .execute();
}

/** The latest operations of a payment, by merchants and by expiry, oldest first. */
export async function findOperations(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
): Promise<Selectable<PaymentOperationTable>[]> {
  const latest = await db
    .selectFrom("payment_operation")
    .selectAll()
    .where("payment_id", "=", paymentId)
    .orderBy("created_at", "desc")
    .limit(OPERATIONS_SHOWN_MAX)
    .execute();
  return latest.toReversed();
}

/** The later inquiries by which the bank carried out something that had ended here as not done. */
export async function findLate(db: Kysely<PaymentsDatabase>, paymentId: string): Promise<LateSight[]> {
  return await db
    .selectFrom("payment_watch")
    .select(["movement_id", "sighted_at"])
    .where("payment_id", "=", paymentId)
    .where("sighted_at", "is not", null)
    .orderBy("sighted_at")
    .$narrowType<{ sighted_at: Date }>()
    .execute();
}

const OPERATIONS_SHOWN_MAX = 100;
