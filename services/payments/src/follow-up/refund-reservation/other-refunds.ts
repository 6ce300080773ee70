/**
 * Refunds beside others of their payment. Two under way that a bank could not tell apart, or that it could take for copies,
 * follow each other; and what the bank is known to have done for one is never taken for another.
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

/**
 * True where a refund waits for the outcome of one of these. Where only names tell them apart, that is each that is under way.
 * A bank that knows our references may still take the second of two equal ones for a copy, and answer it with the first
 * one's approval.
 */
export function waitsFor(
  { amountMinor, isNamed }: { amountMinor: bigint; isNamed: boolean },
  others: readonly (OtherRefund & { amount_minor: bigint })[],
): boolean {
  return others.some((other) => isUnderWay(other) && (!isNamed || other.amount_minor === amountMinor));
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
