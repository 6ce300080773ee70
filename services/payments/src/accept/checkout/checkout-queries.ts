import { installmentAmounts } from "@holdfast/contracts";
import { fromNow, msUntilFirst } from "@holdfast/postgres";
import {
  sql,
  type ExpressionBuilder,
  type Insertable,
  type Kysely,
  type Selectable,
  type Transaction,
} from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import type { CheckoutPaymentTable, CheckoutTable } from "./checkout-tables.ts";
import type { PaymentRow } from "../../payment/payment-record.ts";
import {
  FAILED_STATES,
  transitionCheckout,
  type CheckoutAttempt,
  type CheckoutStanding,
  type CheckoutState,
} from "./checkout.ts";

/** Every statement on checkouts. */

export type CheckoutRow = Selectable<CheckoutTable>;

/** A checkout with its latest payment, and the fields of both that decisions use. */
export type FoundCheckout = {
  row: CheckoutRow;
  standing: CheckoutStanding;
  payment: PaymentRow | undefined;
  attempt: CheckoutAttempt | undefined;
  /** The installments that the buyer chose for the payment, where they are several; minor units. */
  plan?: { firstMinor: bigint; furtherMinor: bigint } | undefined;
};

/** @returns false when the id exists already. */
export async function insertCheckout(
  trx: Transaction<PaymentsDatabase>,
  checkout: Omit<
    Insertable<CheckoutTable>,
    "state" | "payment_id" | "attempts" | "created_at" | "expires_at" | "closed_at"
  >,
  expiresAfterMs: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto("checkout")
    .values({
      ...checkout,
      state: transitionCheckout("NONE", "OPEN"),
      expires_at: fromNow(expiresAfterMs),
    })
    .onConflict((conflict) => conflict.column("checkout_id").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** @param merchantId the checkout's required merchant; another merchant's checkout counts as unknown. */
export async function findCheckout(
  db: Kysely<PaymentsDatabase>,
  checkoutId: string,
  merchantId?: string,
): Promise<FoundCheckout | undefined> {
  return await selectCheckout(db, checkoutId, { merchantId });
}

/**
 * The checkout under its row's lock. Its payment is read by a statement of its own after the row is locked,
 * so it sees everything that the lock's previous owner has committed.
 */
export async function lockCheckout(
  trx: Transaction<PaymentsDatabase>,
  checkoutId: string,
): Promise<FoundCheckout | undefined> {
  return await selectCheckout(trx, checkoutId, { lock: true });
}

async function selectCheckout(
  db: Kysely<PaymentsDatabase>,
  checkoutId: string,
  { merchantId, lock = false }: { merchantId?: string | undefined; lock?: boolean },
): Promise<FoundCheckout | undefined> {
  const found = await db
    .selectFrom("checkout")
    .selectAll()
    // The clock as it is now, not as it was before the wait for the lock.
    .select(sql<boolean>`expires_at <= clock_timestamp()`.as("is_expired"))
    .where("checkout_id", "=", checkoutId)
    .$if(merchantId !== undefined, (query) => query.where("merchant_id", "=", merchantId!))
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!found) return undefined;
  const payments = await latestPayments(db, [found]);
  return withPayment(found, payments);
}

/** A checkout's row, with whether its time is over. */
export type ReadCheckout = CheckoutRow & { is_expired: boolean };

/** The checkouts, each with its latest payment. */
export async function withPayments(
  db: Kysely<PaymentsDatabase>,
  rows: ReadCheckout[],
): Promise<FoundCheckout[]> {
  const payments = await latestPayments(db, rows);
  return rows.map((row) => withPayment(row, payments));
}

type AttemptRow = PaymentRow & { has_succeeded: boolean } & Pick<
    Selectable<CheckoutPaymentTable>,
    "first_installment_minor" | "further_installment_minor"
  >;

async function latestPayments(
  db: Kysely<PaymentsDatabase>,
  rows: ReadCheckout[],
): Promise<Map<string, AttemptRow>> {
  const ids = rows.flatMap(({ payment_id }) => payment_id ?? []);
  if (ids.length === 0) return new Map();
  const payments = await db
    .selectFrom("payment")
    .innerJoinLateral(attemptOfPayment, (join) => join.onTrue())
    .selectAll("payment")
    .select(["first_installment_minor", "further_installment_minor"])
    .select(hasSucceeded.as("has_succeeded"))
    .where("payment.payment_id", "in", ids)
    .execute();
  return new Map(payments.map((payment) => [payment.payment_id, payment]));
}

/** Looked up for each payment by its key: a plan that joins the tables may read all attempts for a page of them. */
function attemptOfPayment(eb: ExpressionBuilder<PaymentsDatabase, "payment">) {
  return eb
    .selectFrom("checkout_payment")
    .select(["first_installment_minor", "further_installment_minor"])
    .whereRef("checkout_payment.payment_id", "=", "payment.payment_id")
    .limit(1)
    .as("attempt");
}

function withPayment(read: ReadCheckout, payments: ReadonlyMap<string, AttemptRow>): FoundCheckout {
  const { is_expired: isExpired, ...row } = read;
  const standing = { state: row.state, isExpired, attempts: row.attempts };
  if (row.payment_id === null) return { row, standing, payment: undefined, attempt: undefined };
  const payment = payments.get(row.payment_id);
  if (!payment) throw new Error("a checkout names a payment that does not exist");
  return {
    row,
    standing,
    payment,
    attempt: { state: payment.state, hasSucceeded: payment.has_succeeded },
    plan: planOf(payment),
  };
}

function planOf({
  first_installment_minor: firstMinor,
  further_installment_minor: furtherMinor,
}: AttemptRow) {
  return firstMinor === null || furtherMinor === null ? undefined : { firstMinor, furtherMinor };
}

/** True if the payment in scope has ever succeeded. Its state is not enough: it may have been cancelled since. */
const hasSucceeded = sql<boolean>`(state in ('SUCCESS', 'CAPTURED') or exists (
  select from payment_history where payment_history.payment_id = payment.payment_id and to_state = 'SUCCESS'))`;

/** Empties what was kept for its payment, too. @returns false when the checkout is no longer open. */
export async function updateClosed(
  trx: Transaction<PaymentsDatabase>,
  checkoutId: string,
  to: Exclude<CheckoutState, "OPEN">,
): Promise<boolean> {
  const from = "OPEN";
  const { numUpdatedRows } = await trx
    .updateTable("checkout")
    .set({ state: transitionCheckout(from, to), closed_at: sql<Date>`now()`, sealed_details: null })
    .where("checkout_id", "=", checkoutId)
    .where("state", "=", from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** A checkout's payment with what its card is charged. */
type CheckoutCharge = { paymentId: string; installmentCount: number; totalMinor: bigint };

/** Notes the payment that was just claimed as the checkout's next attempt. @returns false when it may not be one. */
export async function recordAttempt(
  trx: Transaction<PaymentsDatabase>,
  { checkout_id, attempts }: Pick<CheckoutRow, "checkout_id" | "attempts">,
  { paymentId, installmentCount, totalMinor }: CheckoutCharge,
): Promise<boolean> {
  const plan = installmentCount > 1 ? installmentAmounts(totalMinor, installmentCount) : undefined;
  const { numAffectedRows = 0n } = await sql`
    with changed as (
      update checkout set payment_id = ${paymentId}, attempts = attempts + 1
      where checkout_id = ${checkout_id} and state = 'OPEN' and attempts = ${attempts}
      returning checkout_id, attempts
    )
    insert into checkout_payment (payment_id, checkout_id, attempt, first_installment_minor, further_installment_minor)
    select ${paymentId}, checkout_id, attempts, ${plan?.firstMinor ?? null}::bigint, ${plan?.furtherMinor ?? null}::bigint
    from changed`.execute(trx);
  return numAffectedRows === 1n;
}

const SETTLED_STATES = [...FAILED_STATES, "SUCCESS", "CAPTURED"];

/** Open checkouts that are over. */
export async function findCheckoutsToClose(
  db: Kysely<PaymentsDatabase>,
  { attemptsMax, limit }: { attemptsMax: number; limit: number },
): Promise<{ checkout_id: string }[]> {
  const { rows } = await sql<{ checkout_id: string }>`${toClose(attemptsMax)} limit ${limit}`.execute(db);
  return rows;
}

/** The milliseconds until an open checkout expires, 0 if one has; undefined if none is open. */
export async function checkoutsDueInMs(
  db: Kysely<PaymentsDatabase>,
  attemptsMax: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ in_ms: number | null }>`
    select case when exists (${toClose(attemptsMax)}) then 0 else (
      select ${msUntilFirst("expires_at")} from checkout where state = 'OPEN' and expires_at > now()) end as in_ms`.execute(
    db,
  );
  return rows[0]?.in_ms ?? undefined;
}

/**
 * Each of the two parts uses an index of its own: expired checkouts, and checkouts that were paid or tried
 * before their end.
 */
function toClose(attemptsMax: number) {
  return sql`
    select checkout_id from checkout left join payment using (payment_id)
    where checkout.state = 'OPEN' and expires_at <= now()
      and (payment_id is null or payment.state in (${sql.join(SETTLED_STATES)}))
    union all
    select checkout_id from checkout join payment using (payment_id)
    where checkout.state = 'OPEN' and expires_at > now() and (
      payment.state in ('SUCCESS', 'CAPTURED')
      or payment.state in (${sql.join(FAILED_STATES)}) and (
        attempts >= ${attemptsMax} or exists (
          select from payment_history
          where payment_history.payment_id = payment.payment_id and to_state = 'SUCCESS')))`;
}
