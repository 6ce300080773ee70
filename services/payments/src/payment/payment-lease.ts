import { sql, type Kysely, type Selectable } from "kysely";
import type { PaymentsDatabase, PaymentTable } from "../database.ts";
import { reversalState, transition, type PaymentState } from "./payment.ts";

/**
 * A payment under this process's lease, with its age: since the claim, or with 3-D Secure since the completion call or,
 * where none came, since the session's end. Both clocks are the database's.
 */
export type LeasedPayment = Selectable<PaymentTable> & { lease_token: string; age_ms: number };

/**
 * Leases payments whose outcome nobody knows and nobody works on, those that wait longest first. Any number of workers
 * may ask at once: each gets others.
 *
 * @param paymentId only this one, due or not, unless somebody has worked on it in the last `restMs`, or its cardholder
 * is still at the challenge.
 */
export async function leaseUnsettled(
  db: Kysely<PaymentsDatabase>,
  options: { leaseMs: number; limit: number } | { leaseMs: number; paymentId: string; restMs: number },
): Promise<LeasedPayment[]> {
  const chosen =
    "limit" in options
      ? sql`select payment_id from payment where recover_at <= now()
            order by recover_at limit ${options.limit} for update skip locked`
      : sql`select payment_id from payment
            where payment_id = ${options.paymentId} and recover_at is not null
              and coalesce(lease_until, '-infinity') < now()
              and updated_at < now() - ${options.restMs} * interval '1 millisecond'
              and (state <> 'ENROLLED' or recovery_from <= now())
            for update skip locked`;
  const leased = await sql<LeasedPayment>`
    update payment set
      lease_token = gen_random_uuid(),
      lease_until = lease.ends,
      recover_at = lease.ends,
      updated_at = now()
    from (select now() + ${options.leaseMs} * interval '1 millisecond' as ends) as lease
    where payment_id in (${chosen})
    returning payment.*, extract(epoch from now() - coalesce(recovery_from, created_at))::float8 * 1000 as age_ms`.execute(
    db,
  );
  return leased.rows;
}

/** Commits that the payment shall not stand. From here on nothing makes it SUCCESS. @returns false without the lease. */
export async function startReversal(
  db: Kysely<PaymentsDatabase>,
  payment: { payment_id: string; lease_token: string; state: PaymentState },
  cause: string,
): Promise<boolean> {
  const to = transition(payment.state, reversalState(payment.state));
  const changed = await sql`
    with changed as (
      update payment set state = ${to}, version = version + 1, updated_at = now()
      where payment_id = ${payment.payment_id} and state = ${payment.state} and lease_token = ${payment.lease_token}
      returning payment_id, version
    )
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, version, ${payment.state}, ${to}, ${cause} from changed`.execute(db);
  return changed.numAffectedRows === 1n;
}

/** Gives the lease back and names the time of the next attempt; does nothing when the lease is no longer ours. */
export async function postpone(
  db: Kysely<PaymentsDatabase>,
  { payment_id, lease_token }: { payment_id: string; lease_token: string },
  { inMs, cause }: { inMs: number; cause: string },
): Promise<void> {
  await sql`
    update payment set
      lease_token = null,
      lease_until = null,
      recover_at = now() + ${inMs} * interval '1 millisecond',
      recovery_attempts = recovery_attempts + 1,
      last_inquiry = ${cause},
      updated_at = now()
    where payment_id = ${payment_id} and lease_token = ${lease_token}`.execute(db);
}

/** Gives the lease back as if nobody had had it: the next attempt comes when it is next due anyway. */
export async function giveBack(
  db: Kysely<PaymentsDatabase>,
  { payment_id, lease_token }: { payment_id: string; lease_token: string },
): Promise<void> {
  await sql`
    update payment set lease_token = null, lease_until = null, recover_at = now(), updated_at = now()
    where payment_id = ${payment_id} and lease_token = ${lease_token}`.execute(db);
}
