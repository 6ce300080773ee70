import type { ApiPaymentResponse, CommandReply, ListPart, operations } from "@holdfast/contracts";
import { partOf, readList } from "@holdfast/lists";
import type { Kysely } from "kysely";
import type { z } from "zod";
import type { RefundsDatabase } from "../database.ts";
import { refundRecord, type RefundRow } from "../refund/refund-record.ts";
import { REFUNDS } from "./refund-list-table.ts";

/** The refunds among what the merchant looks for, newest first. Nothing in the request can name another merchant. */
export async function listForMerchant(
  db: Kysely<RefundsDatabase>,
  merchantId: string,
  { filter, after, limit }: z.infer<typeof operations.listPaymentRefunds.command.request>,
): Promise<CommandReply<ListPart<ApiPaymentResponse>>> {
  if ((filter.transactionType ?? "REFUND") !== "REFUND") return { outcome: "done", result: { items: [] } };
  const read = await readList<RefundRow>(db, REFUNDS, { filter: { ...filter, merchantId }, after, limit });
  return { outcome: "done", result: partOf(read, refundRecord) };
}
