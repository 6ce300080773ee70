import {
  operations,
  readMovements,
  readSettlingAccounts,
  type ApiPaymentResponse,
  type CommandReply,
  type ListPart,
  type ListPlace,
  type OperatorPayment,
} from "@holdfast/contracts";
import { partOf, readList } from "@holdfast/lists";
import { handler } from "@holdfast/messaging";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../../database.ts";
import { listSettlementAccounts } from "../../bank/account/list-settlement-accounts.ts";
import { operatorPayment, type OperatorPaymentRow } from "../operator/operator-payment.ts";
import { findUnresolved } from "../operator/operator-payment-queries.ts";
import { readPaymentMovements } from "../../payment/movement-facts.ts";
import { withOperation, type ReadPayment } from "../../payment/payment-queries.ts";
import { paymentRecord } from "../../payment/payment-record.ts";
import { figuresOf } from "./figures.ts";
import { OPERATORS_PAYMENTS, PAYMENTS } from "./payment-list-table.ts";

/** Lists for merchants, operators and the settlement service. */
export function listHandlers(deps: ListDeps) {
  return [
    handler(operations.listPayments.command, ({ context, payload }) =>
      listPayments(deps.lists, context.merchant.merchantId, payload),
    ),
    handler(operations.listPaymentsOfMerchants.command, ({ payload }) => listForOperator(deps, payload)),
    handler(operations.getFigures.command, ({ payload }) => figuresOf(deps.lists, payload)),
    handler(readMovements.payments, ({ payload }) => readPaymentMovements(deps.lists, payload)),
    handler(readSettlingAccounts, ({ payload }) => listSettlementAccounts(deps.lists, payload)),
  ];
}

export type ListDeps = {
  /** The database on the connections of lists. */
  lists: Kysely<PaymentsDatabase>;
  limits: { overdueAfterMs: number };
};

type ReadOperatorPayment = Omit<OperatorPaymentRow, "last_operation"> & ReadPayment;

/** The payments among what the merchant looks for, newest first. Nothing in the request can name another merchant. */
async function listPayments(
  db: Kysely<PaymentsDatabase>,
  merchantId: string,
  { filter, after, limit }: z.infer<typeof operations.listPayments.command.request>,
): Promise<CommandReply<ListPart<ApiPaymentResponse>>> {
  if (filter.transactionType === "REFUND") return { outcome: "done", result: { items: [] } };
  const read = await readList<ReadPayment>(db, PAYMENTS, { filter: { ...filter, merchantId }, after, limit });
  return { outcome: "done", result: partOf(read, (row) => paymentRecord(withOperation(row))) };
}

/**
 * Payments of any merchant, with the columns that only operators see; unresolved payments come oldest first.
 */
export async function listForOperator(
  { lists, limits }: ListDeps,
  {
    filter,
    livemode,
    unresolved,
    after,
    limit,
  }: z.infer<typeof operations.listPaymentsOfMerchants.command.request>,
): Promise<CommandReply<ListPart<OperatorPayment>>> {
  if (unresolved) return await listUnresolvedPart({ lists, limits }, { ...filter, livemode, after, limit });
  if (filter.transactionType === "REFUND") return { outcome: "done", result: { items: [] } };
  const read = await readList<ReadOperatorPayment>(lists, OPERATORS_PAYMENTS, {
    filter,
    livemode,
    after,
    limit,
  });
  const itemOf = (row: ReadOperatorPayment) => operatorPayment(withOperation(row), limits.overdueAfterMs);
  return { outcome: "done", result: partOf(read, itemOf) };
}

async function listUnresolvedPart(
  { lists, limits }: ListDeps,
  {
    merchantId,
    livemode,
    from,
    to,
    after,
    limit,
  }: {
    merchantId?: string | undefined;
    livemode?: boolean | undefined;
    from?: string | undefined;
    to?: string | undefined;
    after?: ListPlace | undefined;
    limit: number;
  },
): Promise<CommandReply<ListPart<OperatorPayment>>> {
  const rows = await findUnresolved(lists, { merchantId, livemode, from, to, limit: limit + 1, after });
  const items = rows.slice(0, limit).map((row) => ({
    createdAt: row.created_at_utc,
    id: row.payment_id,
    item: operatorPayment(row, limits.overdueAfterMs),
  }));
  const last = rows.length > limit ? items.at(-1) : undefined;
  const readTo = last && { createdAt: last.createdAt, id: last.id };
  return { outcome: "done", result: { items, ...(readTo && { readTo }) } };
}
