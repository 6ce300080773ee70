import { amountToJson, type CommandReply } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { refundableMinor } from "../../payment/refundable-minor.ts";

type Result = { items: { paymentId: string; amount: number }[] };

/** The amounts that can still be refunded, which operators see beside the refunds that wait for them. */
export async function readRefundableAmounts(
  { db }: { db: Kysely<PaymentsDatabase> },
  paymentIds: string[],
): Promise<CommandReply<Result>> {
  if (paymentIds.length === 0) return { outcome: "done", result: { items: [] } };
  const payments = await db
    .selectFrom("payment")
    .selectAll()
    .where("payment_id", "in", paymentIds)
    .where("state", "in", ["SUCCESS", "CAPTURED"])
    .execute();
  const items = payments.map((payment) => ({
    paymentId: payment.payment_id,
    amount: amountToJson(refundableMinor(payment), payment.currency_exponent),
  }));
  return { outcome: "done", result: { items } };
}
