import type { ApiPaymentResponse, CommandReply } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { findPayment } from "../payment/payment-queries.ts";
import { paymentRecord } from "../payment/payment-record.ts";

/** Reads one payment of the merchant that asks. */
export async function getPayment(
  { db }: { db: Kysely<PaymentsDatabase> },
  merchantId: string,
  paymentId: string,
): Promise<CommandReply<ApiPaymentResponse>> {
  const payment = await findPayment(db, merchantId, paymentId);
  if (!payment) return { outcome: "problem", code: "payment_not_found" };
  return { outcome: "done", result: paymentRecord(payment) };
}
