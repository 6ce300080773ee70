import type { Challenge } from "@holdfast/acquirer";
import { sql, type Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { transition } from "../payment/payment.ts";
import { orderGivenFree } from "./session-queries.ts";

/**
 * Undoes the claim of a completion for which nothing was sent: the payment waits for its cardholder again, with the challenge
 * that it had, and recovery asks once the session has ended.
 * @returns false when the lease is no longer ours; then recovery settles the payment.
 */
export async function reopenSession(
  db: Kysely<PaymentsDatabase>,
  { payment_id, lease_token }: { payment_id: string; lease_token: string },
  challenge: Challenge | undefined,
): Promise<boolean> {
  const from = "AUTHORIZING";
  const to = transition(from, "ENROLLED");
  const changed = await sql`
    with changed as (
      update payment set
        state = ${to}, version = version + 1, state_since = now(), lease_token = null, lease_until = null,
        recover_at = three_ds_session.expires_at, recovery_from = three_ds_session.expires_at, updated_at = now(),
        claims_order = ${orderGivenFree}
      from three_ds_session
      where three_ds_session.payment_id = payment.payment_id and payment.payment_id = ${payment_id}
        and state = ${from} and lease_token = ${lease_token}
      returning payment.payment_id, version
    ), shown as (
      update three_ds_session as session set challenge = ${challenge ? JSON.stringify(challenge) : null}::jsonb
      from changed where session.payment_id = changed.payment_id
    )
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, version, ${from}, ${to}, 'return_not_genuine' from changed`.execute(db);
  return changed.numAffectedRows === 1n;
}
