import { fromNow, msUntilFirst } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { REJECTED_BY_REVIEW, REVIEW_REJECTED, type ReviewShown } from "./authorization-outcome.ts";
import type { PaymentTable } from "./payment-table.ts";
import { reversalState, transition, type PaymentState } from "./payment.ts";

/**
 * A payment under this process's lease, with its age: since the claim, or with 3-D Secure since the completion call or,
 * where none came, since the session's end. Both clocks are the database's.
 */
export type LeasedPayment = Selectable<PaymentTable> & {
  lease_token: string;
  age_ms: number;
  /** The time when it was due before it was leased. */
  due_at: Date | null;
};

/**
 * Leases one account's payments of unknown outcome that no process works on, longest-waiting first. Any
 * number of workers may call it side by side: each gets others.
 *
 * @param paymentId leases only this payment, due or not, unless a process has worked on it in the last
 * `restMs`, or its cardholder is still at the challenge.
 */
export async function leaseUnsettled(
  db: Kysely<PaymentsDatabase>,
  options: { leaseMs: number } & (
    | { limit: number; accountId: string }
    | { paymentId: string; restMs: number }
  ),
): Promise<LeasedPayment[]> {
  return await db
    .with("due", () => ("limit" in options ? allDue(db, options) : thisOne(db, options)))
    .updateTable("payment")
    .from("due")
    .set({
      lease_token: sql<string>`gen_random_uuid()`,
      lease_until: fromNow(options.leaseMs),
      recover_at: fromNow(options.leaseMs),
      notified_at: null,
      updated_at: sql<Date>`now()`,
    })
    .whereRef("payment.payment_id", "=", "due.payment_id")
    .returningAll("payment")
    .returning("due.due_at")
    .returning(
      sql<number>`extract(epoch from now() - coalesce(recovery_from, created_at))::float8 * 1000`.as(
        "age_ms",
      ),
    )
    .$narrowType<{ lease_token: string }>()
    .execute();
}

/**
 * The milliseconds until {@link leaseUnsettled} can lease something of any account; undefined if nothing
 * waits.
 */
export async function unsettledDueInMs(db: Kysely<PaymentsDatabase>): Promise<number | undefined> {
  const first = await db
    .selectFrom("payment")
    .select(msUntilFirst("recover_at").as("in_ms"))
    .where("recover_at", "is not", null)
    .executeTakeFirstOrThrow();
  return first.in_ms ?? undefined;
}

function allDue(db: Kysely<PaymentsDatabase>, { limit, accountId }: { limit: number; accountId: string }) {
  return db
    .selectFrom("payment")
    .select(["payment_id", "recover_at as due_at"])
    .where("recover_at", "<=", sql<Date>`now()`)
    .where("account_id", "=", accountId)
    .orderBy("recover_at")
    .limit(limit)
    .forUpdate()
    .skipLocked();
}

function thisOne(db: Kysely<PaymentsDatabase>, { paymentId, restMs }: { paymentId: string; restMs: number }) {
  return db
    .selectFrom("payment")
    .select(["payment_id", "recover_at as due_at"])
    .where("payment_id", "=", paymentId)
    .where("recover_at", "is not", null)
    .where(sql<boolean>`coalesce(lease_until, '-infinity') < now()`)
    .where("updated_at", "<", fromNow(-restMs))
    .where(sql<boolean>`(state <> 'ENROLLED' or recovery_from <= now())`)
    .forUpdate()
    .skipLocked();
}

/**
 * Commits the decision to reverse. From here on neither an answer nor an inquiry makes the payment SUCCESS. A
 * payment no longer shows that it is in review; a refusal's reason stays on it until its end.
 * @returns the payment after the change, or undefined without the lease.
 */
export async function startReversal<
  Payment extends { payment_id: string; lease_token: string; state: PaymentState; version: number },
>(db: Kysely<PaymentsDatabase>, payment: Payment, cause: string): Promise<Payment | undefined> {
  const to = transition(payment.state, reversalState(payment.state));
  const isRejected = cause === REVIEW_REJECTED;
  const shown = {
    result_code: isRejected ? REJECTED_BY_REVIEW.resultCode : null,
    result_message: isRejected ? REVIEW_REFUSED_MESSAGE : null,
  };
  const changed = await sql`
    with changed as (
      update payment set state = ${to}, version = version + 1, state_since = now(), updated_at = now(),
        result_code = ${shown.result_code}, result_message = ${shown.result_message}
      where payment_id = ${payment.payment_id} and state = ${payment.state} and lease_token = ${payment.lease_token}
      returning payment_id, version
    )
    insert into payment_history (payment_id, version, from_state, to_state, cause)
    select payment_id, version, ${payment.state}, ${to}, ${cause} from changed`.execute(db);
  return changed.numAffectedRows === 1n
    ? { ...payment, ...shown, state: to, version: payment.version + 1 }
    : undefined;
}

const REVIEW_REFUSED_MESSAGE =
  "The bank refused the payment in its review; what it holds is being given back";

/** The least time between an inquiry about a payment and one that a bank's notification brings forward. */
export const NOTIFIED_REST_MS = 5_000;

/**
 * Ends the lease and sets the time of the next attempt; does nothing if the lease is no longer ours. A
 * notification may have arrived during the lease without this inquiry knowing, and then the next one comes
 * soon.
 * @param notAfter the latest time of the next attempt, whatever `inMs` says.
 * @param review the review state to show from now on, while the acquirer's fraud desk has not decided.
 * @returns true if the lease was ours.
 */
export async function postpone(
  db: Kysely<PaymentsDatabase>,
  { payment_id, lease_token }: { payment_id: string; lease_token: string },
  { inMs, cause, notAfter = null, review }: Postponement,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("payment")
    .set({
      lease_token: null,
      lease_until: null,
      recover_at: sql<Date>`least(${fromNow(inMs)}, ${notAfter}::timestamptz,
        case when notified_at is not null then ${fromNow(NOTIFIED_REST_MS)} end)`,
      notified_at: null,
      recovery_attempts: sql<number>`recovery_attempts + 1`,
      last_inquiry: cause,
      updated_at: sql<Date>`now()`,
      ...(review && {
        external_transaction_id: review.externalTransactionId,
        result_code: review.resultCode,
        result_message: review.resultMessage,
      }),
    })
    .where("payment_id", "=", payment_id)
    .where("lease_token", "=", lease_token)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

type Postponement = {
  inMs: number;
  cause: string;
  notAfter?: Date | null;
  review?: ReviewShown | undefined;
};

/** Ends the lease as if it had not been taken: the payment is due again immediately, and no attempt is counted. */
export async function giveBack(
  db: Kysely<PaymentsDatabase>,
  { payment_id, lease_token }: { payment_id: string; lease_token: string },
): Promise<void> {
  const now = sql<Date>`now()`;
  await db
    .updateTable("payment")
    .set({ lease_token: null, lease_until: null, recover_at: now, updated_at: now })
    .where("payment_id", "=", payment_id)
    .where("lease_token", "=", lease_token)
    .execute();
}
