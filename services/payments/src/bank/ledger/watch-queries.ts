import { businessDayEnd } from "@holdfast/acquirer";
import { fromNow, msUntilFirst } from "@holdfast/postgres";
import { sql, type Kysely, type Selectable } from "kysely";
import { isOpen } from "./bank-call.ts";
import { findCalls } from "./call-queries.ts";
import type { Bank } from "../calls/bank.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { PaymentTable } from "../../payment/payment-table.ts";

/** A payment that has ended, or a movement of it that has, and is looked at once more. */
export type WatchedPayment = Selectable<PaymentTable> & {
  /** The operation or the refund; null for the payment itself. */
  movement_id: string | null;
  /** The looks before this one. */
  attempts: number;
  sighted_at: Date | null;
  /** The time since the bank showed money of it. */
  sighted_ms: number;
  /** The cause of its present state. */
  cause: string;
};

export type WatchDeps = { db: Kysely<PaymentsDatabase>; bank: Pick<Bank, "termsOf">; now: () => number };

/**
 * Has a payment, or a movement of it, inquired about again after its bank's business day; if it is watched
 * already, nothing changes.
 */
export async function startWatch(
  { db, bank, now }: WatchDeps,
  { payment_id, account_id }: { payment_id: string; account_id: string },
  movement_id: string | null = null,
): Promise<void> {
  const { businessDay } = bank.termsOf(account_id);
  await db
    .insertInto("payment_watch")
    .values({ payment_id, movement_id, due_at: businessDayEnd(new Date(now()), businessDay) })
    .onConflict((conflict) => conflict.columns(["payment_id", "movement_id"]).doNothing())
    .execute();
}

/**
 * Watches an operation or a refund that ends as not done although a call of it was never answered: no answer
 * of the bank proves that end.
 */
export async function watchUnanswered(
  deps: WatchDeps,
  payment: { payment_id: string; account_id: string },
  movementId: string,
): Promise<void> {
  const calls = await findCalls(deps.db, payment.payment_id);
  if (calls.some((call) => call.movement_id === movementId && isOpen(call)))
    await startWatch(deps, payment, movementId);
}

/** The milliseconds until {@link takeWatched} has a payment of any account to take; undefined if none is watched. */
export async function watchedDueInMs(db: Kysely<PaymentsDatabase>): Promise<number | undefined> {
  const first = await db
    .selectFrom("payment_watch")
    .select(msUntilFirst("due_at").as("in_ms"))
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return first.in_ms ?? undefined;
}

/**
 * Takes payments of one account whose next inquiry is due, for the length of a lease. Any number of processes
 * may call it: each gets others.
 */
export async function takeWatched(
  db: Kysely<PaymentsDatabase>,
  { limit, leaseMs, accountId }: { limit: number; leaseMs: number; accountId: string },
): Promise<WatchedPayment[]> {
  const due = db
    .selectFrom("payment_watch")
    .select(["payment_id", "movement_id"])
    .where("ended_at", "is", null)
    .where("due_at", "<=", sql<Date>`now()`)
    .where(
      sql<boolean>`exists (select from payment where payment.payment_id = payment_watch.payment_id
        and payment.account_id = ${accountId})`,
    )
    .orderBy("due_at")
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return await db
    .with("due", () => due)
    .with("taken", (with_) =>
      with_
        .updateTable("payment_watch")
        .from("due")
        .set({ due_at: fromNow(leaseMs) })
        .whereRef("payment_watch.payment_id", "=", "due.payment_id")
        .where(sql<boolean>`payment_watch.movement_id is not distinct from due.movement_id`)
        .returning(["payment_watch.payment_id", "payment_watch.movement_id", "attempts", "sighted_at"]),
    )
    .selectFrom("taken")
    .innerJoin("payment", "payment.payment_id", "taken.payment_id")
    .selectAll("payment")
    .select(["taken.movement_id", "taken.attempts", "taken.sighted_at"])
    .select(
      sql<number>`extract(epoch from now() - coalesce(taken.sighted_at, now()))::float8 * 1000`.as(
        "sighted_ms",
      ),
    )
    .innerJoin("payment_history as history", (join) =>
      join
        .onRef("history.payment_id", "=", "payment.payment_id")
        .onRef("history.version", "=", "payment.version"),
    )
    .select("history.cause")
    .execute();
}

/** The end of a look: the watch is over, or it is looked at again. */
export type Look = { isSighted: boolean; lastInquiry: string } & ({ isOver: true } | { againInMs: number });

export async function recordLook(
  db: Kysely<PaymentsDatabase>,
  { payment_id, movement_id }: Pick<WatchedPayment, "payment_id" | "movement_id">,
  look: Look,
): Promise<void> {
  await db
    .updateTable("payment_watch")
    .set({
      attempts: sql<number>`attempts + 1`,
      last_inquiry: look.lastInquiry,
      ...(look.isSighted && { sighted_at: sql<Date>`coalesce(sighted_at, now())` }),
      ...("isOver" in look ? { ended_at: sql<Date>`now()` } : { due_at: fromNow(look.againInMs) }),
    })
    .where("payment_id", "=", payment_id)
    .where("movement_id", "is not distinct from", movement_id)
    .where("ended_at", "is", null)
    .execute();
}
