import { amountToJson, type AmountsByCurrency, type CommandReply } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { refundableMinor } from "../../payment/refundable-minor.ts";
import { approvalsRequired } from "./approvals-required.ts";

type Result = { items: { paymentId: string; amount: number; approvalsRequired: 1 | 2 }[] };

/** The amounts that can still be refunded, and the approvals that their refunds need, which operators see beside the refunds that wait for them. */
export async function readRefundableAmounts(
  { db, twoAbove }: { db: Kysely<PaymentsDatabase>; twoAbove: AmountsByCurrency },
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
    approvalsRequired: approvalsRequired(payment, twoAbove),
  }));
  return { outcome: "done", result: { items } };
}
