/**
 * Refunds at a bank that does not give our reference of one back. Two under way on one payment could not be told apart, so one
 * follows the other; and what the bank is known to have done for one is never taken for another.
 */
import { PENDING, type Verdict } from "@holdfast/acquirer";
import type { Kysely } from "kysely";
import { isApproved, isOpen, mayHaveLeft, type BankCall } from "../../bank/ledger/bank-call.ts";
import type { PaymentsDatabase } from "../../database.ts";
import type { RefundReservationTable } from "./reservation-table.ts";

/** Another refund of the same payment, with its calls. */
export type OtherRefund = {
  state: RefundReservationTable["state"];
  calls: readonly Pick<BankCall, "outcome" | "heard_at" | "answered_at" | "external_transaction_id">[];
};

/** True where it has been sent, and its outcome is not known. */
export function isUnderWay({ state, calls }: OtherRefund): boolean {
  const last = calls.findLast(mayHaveLeft);
  return state === "ACTIVE" && last !== undefined && isOpen(last);
}

/** The bank's names of what it has done for a refund. */
export function namesOf({ calls }: Pick<OtherRefund, "calls">): string[] {
  return calls.flatMap((call) => (isApproved(call) && call.external_transaction_id) || []);
}

/**
 * The bank's names of what is known to be none of a refund. @param calls of the payment: a cancellation's void is no refund that
 * the bank has carried out by a void.
 */
export function namesBeside(
  others: readonly Pick<OtherRefund, "calls">[],
  calls: readonly (OtherRefund["calls"][number] & Pick<BankCall, "kind">)[],
): string[] {
  return [...others, { calls: calls.filter(({ kind }) => kind === "void") }].flatMap(namesOf);
}

/**
 * An inquiry's verdict on one refund, among the others of its payment: a movement that may be another's says nothing.
 * @param others as they are after the inquiry, so that each one that it shows counts as sent.
 */
export function amongOthers(verdict: Verdict, others: readonly OtherRefund[]): Verdict {
  const isMismatch = verdict.kind === "unknown" && verdict.reason === "mismatch";
  const isShown = verdict.kind === "approved" || isMismatch;
  return isShown && others.some(isUnderWay) ? PENDING : verdict;
}

/** The other refunds of the payment that were sent. @param calls of the payment, read before or with the reservations. */
export async function otherRefunds(
  db: Kysely<PaymentsDatabase>,
  { refundId, paymentId }: { refundId: string; paymentId: string },
  calls: readonly BankCall[],
): Promise<(OtherRefund & { amount_minor: bigint })[]> {
  const reservations = await db
    .selectFrom("refund_reservation")
    .select(["refund_id", "state", "amount_minor"])
    .where("payment_id", "=", paymentId)
    .where("refund_id", "<>", refundId)
    .execute();
  return reservations
    .map((other) => ({ ...other, calls: calls.filter(({ movement_id }) => movement_id === other.refund_id) }))
    .filter((other) => other.calls.some(mayHaveLeft));
}
