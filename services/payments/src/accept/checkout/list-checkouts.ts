import type { CheckoutRecord, CommandReply, ListPart, operations } from "@holdfast/contracts";
import { partOf, readList, type ListTable } from "@holdfast/lists";
import { sql, type Kysely } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../../database.ts";
import { withPayments, type FoundCheckout, type ReadCheckout } from "./checkout-queries.ts";
import { checkoutRecord } from "./checkout-record.ts";
import { isToBeClosed, concludeCheckout, type ConcludeCheckoutDeps } from "./conclude-checkout.ts";

export type ListCheckoutsDeps = ConcludeCheckoutDeps & {
  /** The database on the connections of lists. */
  lists: Kysely<PaymentsDatabase>;
};

/**
 * The merchant's checkouts, newest first, each in its present state: like every read, this closes checkouts
 * that were paid or have expired.
 */
export async function listCheckouts(
  deps: ListCheckoutsDeps,
  merchantId: string,
  { filter, after, limit }: z.infer<typeof operations.listCheckouts.command.request>,
): Promise<CommandReply<ListPart<CheckoutRecord>>> {
  const query = { filter: { ...filter, merchantId }, after, limit };
  const read = await readList<ReadCheckout>(deps.lists, CHECKOUTS, query);
  const found = await withPayments(deps.db, read.rows);
  const concluded = new Map<string, FoundCheckout>();
  for (const each of found) concluded.set(each.row.checkout_id, await asItIsNow(deps, each));
  const part = partOf(read, ({ checkout_id }) => checkoutRecord(concluded.get(checkout_id)!));
  return { outcome: "done", result: part };
}

async function asItIsNow(deps: ConcludeCheckoutDeps, found: FoundCheckout): Promise<FoundCheckout> {
  if (!isToBeClosed(found, deps.limits.checkoutAttemptsMax)) return found;
  return (await concludeCheckout(deps, found.row.checkout_id)) ?? found;
}

export const CHECKOUTS: ListTable = {
  name: "checkout",
  id: "checkout_id",
  status: sql<string>`state`,
  transactionType: sql<string>`transaction_type`,
  columns: sql`checkout.*, expires_at <= clock_timestamp() as is_expired`,
  hasStatusIndex: () => false,
};
