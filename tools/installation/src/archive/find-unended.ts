import { sql } from "kysely";
import { withRole } from "../database/with-role.ts";
import type { Trx } from "../erasure/erase-customer.ts";

/** A payment that has not ended, with the reason: it stays where it is. */
export type Unended = { paymentId: string; why: string };

/**
 * Finds payments of which something is under way, has changed in the last 35 days, or still needs an answer:
 * by the bank, by operators, by the comparison with the bank's files or by a merchant's server. A recent
 * change may still be in an outbox, in the event stream or under an Idempotency-Key, which end after 30 days
 * at most.
 */
export async function findUnended(trx: Trx, paymentIds: readonly string[]): Promise<Unended[]> {
  const ids = sql`any(${paymentIds}::uuid[])`;
  await withRole(trx, "payments");
  const payments = await sql<Unended>`
    select payment_id as "paymentId", 'the payment has not ended' as why from payment where payment_id = ${ids}
      and (recover_at is not null or operation_id is not null or reserved_minor <> 0 or updated_at > now() - ${YOUNG}
        or state not in ('SUCCESS', 'FAILED', 'REJECTED', 'CANCELLED', 'CAPTURED'))
    union all select payment_id, 'an inquiry at the bank is still due' from payment_watch
      where payment_id = ${ids} and ended_at is null
    union all select payment_id, 'operators decide about it' from payment_resolution where payment_id = ${ids}
    union all select payment_id, 'an amount is reserved for a refund' from refund_reservation where payment_id = ${ids} and state = 'ACTIVE'
    union all select payment_id, 'it was charged back' from chargeback where payment_id = ${ids}
    union all select payment_id, 'it was charged back' from chargeback_line
      where payment_id = ${ids} and chargeback_id is null
    union all select payment_id, 'it belongs to a checkout that is kept' from checkout_payment where payment_id = ${ids}
    union all select payment_id, 'an event is not confirmed' from outbox
      where confirmed_at is null and publish_attempts = 0 and payment_id = ${ids}
    union all select payment_id, 'an event is not confirmed' from outbox
      where confirmed_at is null and publish_attempts > 0 and payment_id = ${ids}`.execute(trx);
  await withRole(trx, "refunds");
  const refunds = await sql<Unended & { refundId: string }>`
    select payment_id as "paymentId", refund_id as "refundId",
      case when recover_at is not null or updated_at > now() - ${YOUNG} or state not in ('SUCCESS', 'FAILED', 'REJECTED')
          or exists (select from refund_resolution as said where said.refund_id = refund.refund_id)
        then 'a refund has not ended'
        when exists (select from outbox where confirmed_at is null and publish_attempts = 0 and payment_id = refund_id)
          or exists (select from outbox where confirmed_at is null and publish_attempts > 0 and payment_id = refund_id)
        then 'an event is not confirmed' else '' end as why
    from refund where payment_id = ${ids}`.execute(trx);
  const parents = new Map([
    ...paymentIds.map((id) => [id, id] as const),
    ...refunds.rows.map(({ refundId, paymentId }) => [refundId, paymentId] as const),
  ]);
  const elsewhere = [
    ...(await unendedAtSettlement(trx, [...parents.keys()])),
    ...(await unendedAtWebhooks(trx, [...parents.keys()])),
  ];
  return [
    ...payments.rows,
    ...refunds.rows.filter(({ why }) => why !== ""),
    ...elsewhere.map(({ id, why }) => ({ paymentId: parents.get(id)!, why })),
  ];
}

/** Longer than everything that ends by itself after a payment's end. */
const YOUNG = sql`interval '35 days'`;

type Found = { id: string; why: string };

async function unendedAtSettlement(trx: Trx, given: readonly string[]): Promise<Found[]> {
  const ids = sql`any(${given}::uuid[])`;
  await withRole(trx, "settlement");
  const { rows } = await sql<Found>`
    select fact_id as id, 'a comparison with the banks'' files is still due' as why from fact
      where fact_id = ${ids} and judge
    union all select fact_id, 'a difference is open' from difference
      where fact_id = ${ids} and state in ('OPEN', 'PROPOSED')
    union all select line.fact_id, 'a difference is open' from line join difference using (import_id, line_no)
      where line.fact_id = ${ids} and difference.state in ('OPEN', 'PROPOSED')`.execute(trx);
  return rows;
}

async function unendedAtWebhooks(trx: Trx, given: readonly string[]): Promise<Found[]> {
  await withRole(trx, "webhooks");
  const { rows } = await sql<Found>`
    select distinct payment_id as id, 'a webhook is not delivered' as why
    from event join endpoint using (merchant_id) join delivery using (endpoint_id, event_id)
    where payment_id = any(${given}::uuid[])`.execute(trx);
  return rows;
}
