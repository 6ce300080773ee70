import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { RefundsDatabase } from "../database.ts";
import { findRefund } from "./refund-queries.ts";
import { refundRecord } from "./refund-record.ts";

/**
 * Reads one refund of the merchant that asks. While it is RESERVING the answer is neither the refund nor "not found",
 * which would be conclusive: it may be accepted a moment later.
 */
export async function getRefund(
  db: Kysely<RefundsDatabase>,
  merchantId: string,
  refundId: string,
): Promise<CommandReply<ApiPaymentResponse>> {
  const refund = await findRefund(db, refundId, merchantId);
  if (!refund) return { outcome: "problem", code: "refund_not_found" };
  if (refund.state === "RESERVING") return { outcome: "not_started" };
  return { outcome: "done", result: refundRecord(refund) };
}
