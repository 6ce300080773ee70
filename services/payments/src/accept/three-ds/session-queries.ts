import type { Authentication, Challenge } from "@holdfast/acquirer";
import type { ThreeDsTerms } from "@holdfast/contracts";
import { fromNow } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import { CALL_OF_COMPLETION, endOfCall } from "../../bank/ledger/call-statements.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { ThreeDsSessionTable } from "./session-table.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import { UNDECIDED_ORDER } from "../../payment/claim-statements.ts";
import { ORDER_PAID } from "../../payment/authorization-outcome.ts";
import { transition } from "../../payment/payment.ts";
import { retryOnOrderConflict } from "../../payment/undecided-order.ts";

export type Session = Selectable<ThreeDsSessionTable>;

/** A payment with 3-D Secure, with what its session allows now, by the database's clock, in one consistent read. */
export type SessionPayment = { payment: PaymentRow; session: Session; isOpen: boolean };

/** @returns the session's end, which is counted from here. */
export async function insertSession(
  trx: Transaction<PaymentsDatabase>,
  paymentId: string,
  { sessionId, successUrl, failureUrl, pageUrl }: ThreeDsTerms,
  sessionMs: number,
): Promise<Date> {
  const { expires_at } = await trx
    .insertInto("three_ds_session")
    .values({
      payment_id: paymentId,
      session_id: sessionId,
      expires_at: fromNow(sessionMs),
      success_url: successUrl,
      failure_url: failureUrl,
      page_url: pageUrl,
    })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return expires_at;
}

type Leased = { payment_id: string; lease_token: string };

/**
 * Releases the order while the cardholder is at the challenge: nothing is under way at the acquirer, and the
 * order may be paid in another way. The value stays null for a payment that never claimed its order.
 */
const orderGivenFree = sql`case when claims_order then false end`;

/** The order is claimed again with the completion, unless another payment has it: whoever passed a challenge is not refused. */
const orderTakenAgain = sql`case when claims_order is not null then not exists (
  select from payment as other where other.merchant_id = payment.merchant_id and other.order_id = payment.order_id
    and ${sql.raw(UNDECIDED_ORDER)}) end`;

/**
 * True if another payment of the order has become SUCCESS since the cardholder was first shown the challenge,
 * and is still valid. The day bounds the rows that are read for an order with many payments.
 */
const orderIsPaid = sql`(claims_order is not null and exists (
  select from payment as other
  join payment_history as paid on paid.payment_id = other.payment_id and paid.to_state = 'SUCCESS'
  where other.merchant_id = payment.merchant_id and other.order_id = payment.order_id
    and other.created_at > payment.created_at - interval '1 day' and other.state in ('SUCCESS', 'CAPTURED')
    and paid.at > (
      select min(shown.at) from payment_history as shown
      where shown.payment_id = payment.payment_id and shown.to_state = 'ENROLLED')))`;

/**
 * The cardholder has a challenge to pass: the lease ends, and recovery asks once the session has ended.
 * @returns false when the lease is no longer ours.
 */
export async function recordChallenge(
  trx: Transaction<PaymentsDatabase>,
  payment: Leased,
  session: string,
  challenge: Challenge,
): Promise<boolean> {
  return await awaitCardholder(trx, payment, { from: "ENROLLING", cause: "challenge", session, challenge });
}

/**
 * The lease ends, the order is free, and recovery asks once the session has ended. The session keeps what its bank calls it
 * unless a name is given. @returns false when the lease is no longer ours.
 */
export async function awaitCardholder(
  db: Kysely<PaymentsDatabase>,
  { payment_id, lease_token }: Leased,
  change: {
    from: "ENROLLING" | "AUTHORIZING";
    cause: string;
    session?: string;
    challenge: Challenge | undefined;
  },
): Promise<boolean> {
  const { from, cause, session = null, challenge } = change;
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
    ), ${sql.raw(from === "AUTHORIZING" ? `${endOfCall("not_sent")}, ` : "")}shown as (
      update three_ds_session as session set
        challenge = ${challenge ? JSON.stringify(challenge) : null}::jsonb,
        acquirer_session = coalesce(${session}::text, session.acquirer_session)
      from changed where session.payment_id = changed.payment_id
    )
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, version, ${from}, ${to}, ${cause} from changed`.execute(db);
  return changed.numAffectedRows === 1n;
}

/**
 * Continues the payment without a challenge under the same lease, renewed. @returns false if the lease is no
 * longer ours.
 */
export async function startAuthorizing(
  trx: Transaction<PaymentsDatabase>,
  payment: Leased,
  { session, authentication }: { session: string; authentication: Authentication },
  leaseMs: number,
): Promise<boolean> {
  const from = "ENROLLING";
  const to = transition(from, "AUTHORIZING");
  const changed = await sql`
    with changed as (
      update payment set
        state = ${to}, version = version + 1, state_since = now(),
        lease_until = lease.ends, recover_at = lease.ends,
        recovery_from = now(), updated_at = now()
      from (select ${fromNow(leaseMs)} as ends) as lease
      where payment_id = ${payment.payment_id} and state = ${from} and lease_token = ${payment.lease_token}
      returning payment.*
    ), ${sql.raw(endOfCall("enrolled"))}, ${sql.raw(CALL_OF_COMPLETION)}
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, version, ${from}, ${to}, 'frictionless' from changed`.execute(trx);
  if (changed.numAffectedRows !== 1n) return false;
  await trx
    .updateTable("three_ds_session")
    .set({ acquirer_session: session, ...columnsOf(authentication) })
    .where("payment_id", "=", payment.payment_id)
    .execute();
  return true;
}

type SessionKey = { paymentId: string; sessionId: string };

/** True for the payment of a session that lasts, while its cardholder is at the challenge and nobody has leased it. */
const isAtChallenge = ({ paymentId, sessionId }: SessionKey) =>
  sql`three_ds_session.payment_id = payment.payment_id and payment.payment_id = ${paymentId}
        and session_id = ${sessionId} and expires_at > now()
        and state = 'ENROLLED' and coalesce(lease_until, '-infinity') < now()`;

/** Empties the challenge in the statement by which its payment leaves it. */
const challengeEmptied = sql`emptied as (
      update three_ds_session as session set challenge = null
      from changed where session.payment_id = changed.payment_id
    )`;

/**
 * Claims the payment for its completion and empties its challenge: once, while its session lasts, only if
 * recovery has not leased it, and only if its order has not been paid meanwhile. Both update the same row and
 * require a free lease, so one of the two wins.
 */
export async function claimCompletion(
  db: Kysely<PaymentsDatabase>,
  session: SessionKey,
  leaseMs: number,
): Promise<(PaymentRow & { lease_token: string }) | undefined> {
  const from = "ENROLLED";
  const to = transition(from, "AUTHORIZING");
  const statement = sql<PaymentRow & { lease_token: string }>`
    with changed as (
      update payment set
        state = ${to}, version = version + 1, state_since = now(),
        lease_token = gen_random_uuid(), lease_until = lease.ends, recover_at = lease.ends,
        recovery_from = now(), updated_at = now(), claims_order = ${orderTakenAgain}
      from three_ds_session, (select ${fromNow(leaseMs)} as ends) as lease
      where ${isAtChallenge(session)} and not ${orderIsPaid}
      returning payment.*
    ), ${sql.raw(endOfCall("enrolled"))}, ${sql.raw(CALL_OF_COMPLETION)}, ${challengeEmptied}, history as (
      insert into payment_history (payment_id, version, from_state, to_state, cause)
      select payment_id, version, ${from}, ${to}, 'returned' from changed
    )
    select * from changed`;
  const { rows } = await retryOnOrderConflict(() => statement.execute(db));
  return rows[0];
}

/**
 * Cancels the payment instead of completing it, if its order has been paid meanwhile. Recovery follows
 * immediately and has the bank bind the reference.
 * @returns false if another process has the payment, or its order has not been paid.
 */
export async function cancelInPlaceOfCompletion(
  db: Kysely<PaymentsDatabase>,
  session: SessionKey,
): Promise<boolean> {
  const from = "ENROLLED";
  const to = transition(from, "CANCELLING");
  const { resultCode, resultMessage } = ORDER_PAID;
  const changed = await sql`
    with changed as (
      update payment set
        state = ${to}, version = version + 1, state_since = now(), recover_at = now(), recovery_from = now(),
        result_code = ${resultCode}, result_message = ${resultMessage}, updated_at = now()
      from three_ds_session
      where ${isAtChallenge(session)} and ${orderIsPaid}
      returning payment.payment_id, version
    ), ${challengeEmptied}
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, version, ${from}, ${to}, ${resultCode} from changed`.execute(db);
  return changed.numAffectedRows === 1n;
}

/** @param sessionId given where the caller has to prove that it knows it. */
export async function findSession(
  db: Kysely<PaymentsDatabase>,
  { paymentId, sessionId }: { paymentId: string; sessionId?: string },
): Promise<SessionPayment | undefined> {
  const found = await db
    .selectFrom("three_ds_session as session")
    .innerJoin("payment", "payment.payment_id", "session.payment_id")
    .selectAll("payment")
    .select([
      sql<Session>`to_jsonb(session)`.as("session"),
      sql<boolean>`payment.state = 'ENROLLED' and session.expires_at > now()`.as("is_open"),
    ])
    .where("session.payment_id", "=", paymentId)
    .$if(sessionId !== undefined, (query) => query.where("session.session_id", "=", sessionId!))
    .executeTakeFirst();
  if (!found) return undefined;
  const { session, is_open: isOpen, ...payment } = found;
  // JSON has no dates.
  return { payment, session: { ...session, expires_at: new Date(session.expires_at) }, isOpen };
}

/** Stores the result of the authentication. */
export async function saveAuthentication(
  db: Kysely<PaymentsDatabase>,
  paymentId: string,
  authentication: Authentication,
): Promise<void> {
  await db
    .updateTable("three_ds_session")
    .set(columnsOf(authentication))
    .where("payment_id", "=", paymentId)
    .execute();
}

function columnsOf({ transStatus, eci, dsTransId }: Authentication) {
  return { trans_status: transStatus, eci: eci ?? null, ds_trans_id: dsTransId ?? null };
}
