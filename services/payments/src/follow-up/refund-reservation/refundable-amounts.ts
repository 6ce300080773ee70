import {
  amountToJson,
  type AmountsByCurrency,
  type CommandReply,
  type OperatorRefund,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";
import { refundableMinor, wholeMinor } from "../../payment/refundable-minor.ts";
import { approvalsRequired } from "./approvals-required.ts";

type Item = {
  paymentId: string;
  amount: number;
  approvalsRequired: 1 | 2;
  ofPayment: NonNullable<OperatorRefund["ofPayment"]>;
};

/** The amounts that can still be refunded, and the approvals that their refunds need, which operators see beside the refunds that wait for them. */
export async function readRefundableAmounts(
  { db, twoAbove }: { db: Kysely<PaymentsDatabase>; twoAbove: AmountsByCurrency },
  paymentIds: string[],
): Promise<CommandReply<{ items: Item[] }>> {
  if (paymentIds.length === 0) return { outcome: "done", result: { items: [] } };
  const payments = await db
    .selectFrom("payment")
    .selectAll()
    .where("payment_id", "in", paymentIds)
    .where("state", "in", ["SUCCESS", "CAPTURED"])
    .execute();
  const items = payments.map((payment) => {
    const amount = (minor: bigint) => amountToJson(minor, payment.currency_exponent);
    return {
      paymentId: payment.payment_id,
      amount: amount(refundableMinor(payment)),
      approvalsRequired: approvalsRequired(payment, twoAbove),
      ofPayment: {
        amount: amount(wholeMinor(payment)),
        refundedAmount: amount(payment.refunded_minor),
        pendingRefundAmount: amount(payment.reserved_minor),
        chargedBackAmount: amount(payment.charged_back_minor),
      },
    };
  });
  return { outcome: "done", result: { items } };
}
