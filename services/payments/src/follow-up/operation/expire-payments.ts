import { randomUUIDv7 } from "node:crypto";
import { fromNow, msUntilFirst } from "@holdfast/postgres";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { operateOnPayment, type OperateDeps } from "./operate-on-payment.ts";
import { decideExpiry } from "./payment-operation.ts";

/**
 * Takes authorizations of one account whose time is over, longest-waiting first, and postpones each. Other
 * processes therefore get other payments. A payment that is not cancelled now (a refund reserves a part of
 * it, or the process dies) is due again after the lease.
 */
export async function takeExpired(
  db: Kysely<PaymentsDatabase>,
  { limit, leaseMs, accountId }: { limit: number; leaseMs: number; accountId: string },
): Promise<{ payment_id: string }[]> {
  const due = uncaptured(db)
    .select("payment_id")
    .where("authorization_expires_at", "<=", sql<Date>`now()`)
    .where("account_id", "=", accountId)
    .orderBy("authorization_expires_at")
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return await db
    .updateTable("payment")
    .set({ authorization_expires_at: fromNow(leaseMs) })
    .where("payment_id", "in", due)
    .returning("payment_id")
    .execute();
}

/**
 * The milliseconds until {@link takeExpired} can take something of any account; undefined if nothing can
 * expire.
 */
export async function expiredDueInMs(db: Kysely<PaymentsDatabase>): Promise<number | undefined> {
  const first = await uncaptured(db)
    .select(msUntilFirst("authorization_expires_at").as("in_ms"))
    .where("authorization_expires_at", "is not", null)
    .executeTakeFirstOrThrow();
  return first.in_ms ?? undefined;
}

/** Authorizations that still reserve funds and on which no operation is under way. */
function uncaptured(db: Kysely<PaymentsDatabase>) {
  return db
    .selectFrom("payment")
    .where("state", "=", "SUCCESS")
    .where("transaction_type", "=", "PRE_AUTHORIZATION")
    .where("operation_id", "is", null)
    .where("reserved_minor", "=", 0n)
    .whereRef("released_minor", "<", "amount_minor");
}

/**
 * Cancels an authorization that was not captured in time. It becomes CANCELLED, with a webhook. The payment's row decides:
 * a capture that came first wins.
 */
export async function expirePayment(
  deps: OperateDeps,
  { payment_id }: { payment_id: string },
): Promise<void> {
  await operateOnPayment(deps, {
    paymentId: payment_id,
    merchantId: undefined,
    operationId: randomUUIDv7(),
    kind: "EXPIRY",
    reason: null,
    traceparent: null,
    credentialIssuedBy: undefined,
    deadlineAt: deps.now() + deps.limits.leaseMs / 2,
    idempotency: undefined,
    decide: decideExpiry,
    commissionMinor: () => 0n,
  });
}
