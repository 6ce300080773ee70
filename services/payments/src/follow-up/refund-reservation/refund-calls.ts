/**
 * Refunds at a bank that does not give our reference of one back. Two under way on one payment could not be told apart, so one
 * follows the other; and what the bank is known to have done for one is never taken for another.
 */
import type { Verdict } from "@holdfast/acquirer";
import type { RefundAtBank } from "@holdfast/contracts";
import { sql, type Kysely, type Selectable } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { lockPayment } from "../operation/operation-queries.ts";
import type { RefundReservationTable } from "./reservation-table.ts";

type Db = Kysely<PaymentsDatabase>;

/** Another refund of the same payment, as its reservation keeps what is known of its call. */
export type OtherRefund = Pick<
  Selectable<RefundReservationTable>,
  "state" | "sent_at" | "external_transaction_id"
>;

/** True where it has been sent, and its outcome is not known. */
export function isUnderWay({ state, sent_at, external_transaction_id }: OtherRefund): boolean {
  return state === "ACTIVE" && sent_at !== null && external_transaction_id === null;
}

/**
 * An inquiry's verdict on one refund, among the others of its payment: an approval that may be another's says nothing.
 * @param others as they are after the inquiry, so that each one that it shows counts as sent.
 */
export function amongOthers(verdict: Verdict, others: readonly OtherRefund[]): Verdict {
  if (verdict.kind !== "approved") return verdict;
  const id = verdict.externalTransactionId.slice(0, 64);
  const mayBeOthers = others.some(
    (other) => isUnderWay(other) || (id !== "" && other.external_transaction_id === id),
  );
  return mayBeOthers ? { kind: "unknown", reason: "pending" } : verdict;
}

/**
 * Commits that a refund may have been sent, unless another one of the payment is under way.
 * @returns when it had been sent before, or undefined while it must not be sent.
 */
export async function beginCall(
  db: Db,
  { refundId, paymentId }: RefundAtBank,
): Promise<{ sentBefore: Date | null } | undefined> {
  return await db.transaction().execute(async (trx) => {
    await lockPayment(trx, paymentId, undefined);
    const others = await otherRefunds(trx, { refundId, paymentId });
    if (others.some(isUnderWay)) return undefined;
    const before = await trx
      .selectFrom("refund_reservation")
      .select("sent_at")
      .where("refund_id", "=", refundId)
      .executeTakeFirst();
    await trx
      .updateTable("refund_reservation")
      .set({ sent_at: sql<Date>`now()` })
      .where("refund_id", "=", refundId)
      .execute();
    return { sentBefore: before?.sent_at ?? null };
  });
}

/**
 * Keeps what the bank named it, or that nothing of it is under way. An unknown outcome changes nothing.
 * @param sentBefore when it had been sent before this call.
 */
export async function recordAnswer(
  db: Db,
  { refundId }: RefundAtBank,
  verdict: Verdict,
  sentBefore: Date | null = null,
): Promise<void> {
  const known = knownBy(verdict, sentBefore);
  if (!known) return;
  await db.updateTable("refund_reservation").set(known).where("refund_id", "=", refundId).execute();
}

/** The reservation's record of an answer to the call that was sent; undefined where the answer says nothing. */
export function knownBy(
  verdict: Verdict,
  sentBefore: Date | null,
): { sent_at: Date | null } | { external_transaction_id: string } | undefined {
  switch (verdict.kind) {
    case "approved": {
      const id = verdict.externalTransactionId.slice(0, 64);
      return id === "" ? { sent_at: null } : { external_transaction_id: id };
    }
    case "not_sent":
      // A call before this one may still arrive.
      return { sent_at: sentBefore };
    case "declined":
    case "expired":
      return { sent_at: null };
    case "reversed":
    case "not_found":
    case "unknown":
      return undefined;
    default:
      return verdict satisfies never;
  }
}

/** The other refunds of the payment that have been sent, or may have been. */
export async function otherRefunds(
  db: Db,
  { refundId, paymentId }: Pick<RefundAtBank, "refundId" | "paymentId">,
): Promise<OtherRefund[]> {
  return await db
    .selectFrom("refund_reservation")
    .select(["state", "sent_at", "external_transaction_id"])
    .where("payment_id", "=", paymentId)
    .where("refund_id", "<>", refundId)
    .where((eb) => eb.or([eb("sent_at", "is not", null), eb("external_transaction_id", "is not", null)]))
    .execute();
}
