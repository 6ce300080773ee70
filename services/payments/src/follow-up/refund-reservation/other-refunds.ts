/**
 * Refunds beside other refunds of their payment. Two refunds that a bank could not tell apart, or could take
 * for copies, are sent one after another. A movement that is known to be one refund's never counts as
 * another's.
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

/** True if it has been sent, and its outcome is not known. */
export function isUnderWay(other: OtherRefund): boolean {
  return other.state === "ACTIVE" && isUnanswered(other);
}

/** False if the bank has declined it: its reservation is released when `refunds` has heard that. */
export function mayBeDone({ calls }: Pick<OtherRefund, "calls">): boolean {
  return calls.findLast(mayHaveLeft)?.outcome !== "declined";
}

/** True if people have ended it, and the bank's name of what it may have done is not known. */
export function isUnnamed(other: OtherRefund): boolean {
  return other.state !== "ACTIVE" && isUnanswered(other) && namesOf(other).length === 0;
}

function isUnanswered({ calls }: OtherRefund): boolean {
  const last = calls.findLast(mayHaveLeft);
  return last !== undefined && isOpen(last);
}

/**
 * True if a refund waits for the outcome of one of these. If only names identify refunds, it waits for every
 * refund under way. A bank that knows our references may still take the second of two equal refunds for a
 * copy, and answer it with the first one's approval.
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
 * The bank's names that are known to belong to other movements than this refund.
 * @param calls the payment's calls. A cancellation's void is not a refund by void.
 */
export function namesBeside(
  others: readonly Pick<OtherRefund, "calls">[],
  calls: readonly (OtherRefund["calls"][number] & Pick<BankCall, "kind">)[],
): string[] {
  return [...others, { calls: calls.filter(({ kind }) => kind === "void") }].flatMap(namesOf);
}

/**
 * An inquiry's verdict on one refund, among the other refunds of its payment: a movement that may be another
 * refund's decides nothing.
 * @param others as they are after the inquiry, so that every refund that it may show counts as sent.
 */
export function amongOthers(verdict: Verdict, others: readonly OtherRefund[]): Verdict {
  const isMismatch = verdict.kind === "unknown" && verdict.reason === "mismatch";
  const isShown = verdict.kind === "approved" || isMismatch;
  return isShown && others.some(isUnderWay) ? PENDING : verdict;
}

export type SentRefund = OtherRefund & Pick<RefundReservationTable, "refund_id" | "kind" | "amount_minor">;

/** The other refunds of the payment that were sent. @param calls of the payment, read before or with the reservations. */
export async function otherRefunds(
  db: Kysely<PaymentsDatabase>,
  { refundId, paymentId }: { refundId: string; paymentId: string },
  calls: readonly BankCall[],
): Promise<SentRefund[]> {
  const reservations = await db
    .selectFrom("refund_reservation")
    .select(["refund_id", "state", "kind", "amount_minor"])
    .where("payment_id", "=", paymentId)
    .where("refund_id", "<>", refundId)
    .execute();
  return reservations
    .map((other) => ({ ...other, calls: calls.filter(({ movement_id }) => movement_id === other.refund_id) }))
    .filter((other) => other.calls.some(mayHaveLeft));
}
