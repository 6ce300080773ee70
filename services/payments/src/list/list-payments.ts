import {
  listMerchantPayments,
  type ApiPaymentResponse,
  type CommandReply,
  type ListPart,
} from "@holdfast/contracts";
import { partOf, readList } from "@holdfast/lists";
import { handler } from "@holdfast/messaging";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../database.ts";
import { withOperation, type ReadPayment } from "../payment/payment-queries.ts";
import { paymentRecord } from "../payment/payment-record.ts";
import { PAYMENTS } from "./payment-list-table.ts";

/** What merchants may ask for; on the connections of lists. */
export function listHandlers(db: Kysely<PaymentsDatabase>) {
  return [
    handler(listMerchantPayments, ({ context, payload }) =>
      listPayments(db, context.merchant.merchantId, payload),
    ),
  ];
}

/** The payments among what the merchant looks for, newest first. Nothing in the request can name another merchant. */
async function listPayments(
  db: Kysely<PaymentsDatabase>,
  merchantId: string,
  { filter, after, limit }: z.infer<typeof listMerchantPayments.request>,
): Promise<CommandReply<ListPart<ApiPaymentResponse>>> {
  if (filter.transactionType === "REFUND") return { outcome: "done", result: { items: [] } };
  const read = await readList<ReadPayment>(db, PAYMENTS, { filter: { ...filter, merchantId }, after, limit });
  return { outcome: "done", result: partOf(read, (row) => paymentRecord(withOperation(row))) };
}
