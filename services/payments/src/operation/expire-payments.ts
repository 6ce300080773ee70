import { randomUUIDv7 } from "node:crypto";
import { fromNow } from "@holdfast/service-runtime";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { operateOnPayment, type OperateDeps } from "./operate-on-payment.ts";
import { decideExpiry } from "./payment-operation.ts";

export type ExpireDeps = OperateDeps & {
  /** Age at which an authorization that was not captured expires, by the database's clock. */
  expireAfterMs: number;
};

/**
 * One round: releases authorizations that were not captured in time. They become CANCELLED, with a webhook. Any number
 * of workers may do so side by side: the payment's row decides, and a capture that came first wins.
 *
 * @returns how many were found.
 */
export async function expirePayments(deps: ExpireDeps): Promise<number> {
  const due = await findExpired(deps.db, deps.expireAfterMs);
  for (const { payment_id } of due) {
    await operateOnPayment(deps, {
      paymentId: payment_id,
      merchantId: undefined,
      operationId: randomUUIDv7(),
      kind: "EXPIRY",
      reason: null,
      traceparent: null,
      deadlineAt: deps.now() + deps.leaseMs / 2,
      idempotency: undefined,
      decide: decideExpiry,
      commissionMinor: () => 0n,
    });
  }
  return due.length;
}

/** An expiry that the acquirer declined is tried again a day later, not in every round. */
async function findExpired(
  db: Kysely<PaymentsDatabase>,
  expireAfterMs: number,
): Promise<{ payment_id: string }[]> {
  const { rows } = await sql<{ payment_id: string }>`
    select payment_id from payment
    where state = 'SUCCESS' and transaction_type = 'PRE_AUTHORIZATION' and operation_id is null
      and created_at < ${fromNow(-expireAfterMs)}
      and reserved_minor = 0 and released_minor < amount_minor
      and not exists (
        select from payment_operation
        where payment_operation.payment_id = payment.payment_id and kind = 'EXPIRY'
          and payment_operation.created_at > now() - interval '1 day')
    order by created_at
    limit ${ROUND_MAX}`.execute(db);
  return rows;
}

const ROUND_MAX = 100;
