import { formatAmount } from "@holdfast/contracts";
import { sql, type Transaction } from "kysely";
import type { AmountsByCurrency } from "@holdfast/contracts";
import type { RefundsDatabase } from "../database.ts";
import type { RefundRow } from "../refund/refund-record.ts";

/**
 * True if the approval of this refund would exceed the sum that one person may approve in 24 hours, by the
 * database's clock. All approvals of the person count, whatever the refunds' outcomes. Approvals of one
 * person wait here for each other until their transactions end: otherwise two simultaneous approvals would
 * each see a sum without the other.
 *
 * @returns a sentence for the person; undefined if the sum is within the limit, or there is no limit.
 */
export async function exceedsApproverLimit(
  trx: Transaction<RefundsDatabase>,
  { approver, refund }: { approver: string; refund: RefundRow },
  dailyMax: AmountsByCurrency,
): Promise<string | undefined> {
  const { currency, currency_exponent, amount_minor } = refund;
  const limit = dailyMax.get(currency);
  if (limit === undefined) return undefined;
  await sql`select pg_advisory_xact_lock(hashtextextended(${approver}, ${LOCK_SEED}))`.execute(trx);
  const { sum_minor } = await trx
    .selectFrom("refund_approval as approval")
    .innerJoin("refund", "refund.refund_id", "approval.refund_id")
    .select(sql<bigint>`coalesce(sum(amount_minor), 0)::bigint`.as("sum_minor"))
    .where("approved_by", "=", approver)
    .where("approval.at", ">", sql<Date>`now() - interval '24 hours'`)
    .where("currency", "=", currency)
    .executeTakeFirstOrThrow();
  if (sum_minor + amount_minor <= limit) return undefined;
  const shown = (minor: bigint) => `${currency} ${formatAmount(minor, currency_exponent)}`;
  return `You may approve ${shown(limit)} in 24 hours, and have approved ${shown(sum_minor)}.`;
}

/** Tells these locks from others on the same text. */
const LOCK_SEED = 7_201;
