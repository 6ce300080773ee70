import { sql, type Kysely } from "kysely";
import type { AmountsByCurrency } from "@holdfast/contracts";
import type { RefundsDatabase } from "../database.ts";
import type { RefundRow } from "../refund/refund-record.ts";

/**
 * The number of different people who have to approve a refund: two where the payment's refunds exceed the limit
 * together, however many parts they come in.
 * @param sumMinor of the payment's refunds that are not refused, this one included.
 * @param twoAbove amounts, by currency, above which two have to.
 */
export function approvalsRequired(
  { currency, sumMinor }: { currency: string; sumMinor: bigint },
  twoAbove: AmountsByCurrency,
): 1 | 2 {
  const limit = twoAbove.get(currency);
  return limit !== undefined && sumMinor > limit ? 2 : 1;
}

/**
 * The sums of the refunds of these payments, with those that wait for a decision, and without those that are rejected
 * or failed. It needs no lock: a refund is in the sum from the moment it can be approved, so of two approvals that are
 * made together each counts both refunds, and of two refunds the one that is requested later always counts the other.
 */
export async function sumByPayment(
  db: Kysely<RefundsDatabase>,
  paymentIds: string[],
): Promise<Map<string, bigint>> {
  if (paymentIds.length === 0) return new Map();
  const sums = await db
    .selectFrom("refund")
    .select(["payment_id", sql<bigint>`sum(amount_minor)::bigint`.as("sum_minor")])
    .where("payment_id", "in", [...new Set(paymentIds)])
    .where("state", "in", ["PENDING_APPROVAL", "EXECUTING", "SETTLING", "SUCCESS"])
    .groupBy("payment_id")
    .execute();
  return new Map(sums.map(({ payment_id, sum_minor }) => [payment_id, sum_minor]));
}

/**
 * The number of approvals that a refund needs, or needed when it was decided: a later refund of the same payment does
 * not change what was decided before.
 */
export function approvalsRequiredFor(
  refund: RefundRow,
  sums: ReadonlyMap<string, bigint>,
  twoAbove: AmountsByCurrency,
): 1 | 2 {
  if (refund.approvals_required !== null) return refund.approvals_required === 2 ? 2 : 1;
  const isOpen = refund.state === "PENDING_APPROVAL";
  const sumMinor = (isOpen && sums.get(refund.payment_id)) || refund.amount_minor;
  return approvalsRequired({ currency: refund.currency, sumMinor }, twoAbove);
}
