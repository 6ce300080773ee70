import {
  agreeToRefund as agreeToRefundCommand,
  carryOutRefundAtBank,
  inquireRefundAtBank,
  listRefundReservations,
  readRefundableAmounts as readRefundableAmountsCommand,
  readRefundSending,
  releaseRefund as releaseRefundCommand,
  reserveRefund as reserveRefundCommand,
  settleRefund as settleRefundCommand,
  type CommandReply,
  type StoredReservation,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { carryOutAtBank, inquireAtBank, type RefundAtBankDeps } from "./refund-at-bank.ts";
import { agreeToRefund, type AgreeDeps } from "./agree-to-refund.ts";
import { readRefundableAmounts } from "./refundable-amounts.ts";
import { readSending } from "./read-sending.ts";
import { releaseRefund, reserveRefund, settleRefund } from "./reserve-refund.ts";
import { sql, type Kysely } from "kysely";
import type { z } from "zod";
import type { PaymentsDatabase } from "../../database.ts";

/** Commands of refunds about amounts to reserve, reserved ones and the bank. */
export function reservationHandlers(deps: RefundAtBankDeps & AgreeDeps) {
  return [
    handler(reserveRefundCommand, ({ context, payload }) =>
      reserveRefund(deps, context.merchant.merchantId, payload),
    ),
    handler(settleRefundCommand, ({ payload }) => settleRefund(deps, payload.refundId)),
    handler(releaseRefundCommand, ({ payload }) => releaseRefund(deps, payload.refundId)),
    handler(agreeToRefundCommand, ({ context, payload }) => agreeToRefund(deps, context, payload)),
    handler(readRefundableAmountsCommand, ({ payload }) => readRefundableAmounts(deps, payload.paymentIds)),
    handler(carryOutRefundAtBank, ({ context, payload }) =>
      carryOutAtBank(deps, payload, context.deadlineAt),
    ),
    handler(inquireRefundAtBank, ({ context, payload }) => inquireAtBank(deps, payload, context.deadlineAt)),
    handler(readRefundSending, ({ payload }) => readSending(deps, payload)),
    handler(listRefundReservations, ({ payload }) => listReservations(deps, payload)),
  ];
}

/** One page of reservations in the order of their primary key, with which `refunds` compares its own refunds. */
async function listReservations(
  { db }: { db: Kysely<PaymentsDatabase> },
  asked: z.infer<typeof listRefundReservations.request>,
): Promise<CommandReply<{ items: StoredReservation[] }>> {
  const reservations = db
    .selectFrom("refund_reservation")
    .selectAll()
    .select(sql<number>`extract(epoch from now() - created_at)::float8`.as("age_s"))
    .orderBy("refund_id");
  const { after } = "limit" in asked ? asked : {};
  const page =
    "limit" in asked
      ? reservations
          .$if(after !== undefined, (query) => query.where("refund_id", ">", after!))
          .limit(asked.limit)
      : reservations.where("refund_id", "=", sql<string>`any(${asked.refundIds}::uuid[])`);
  const rows = await page.execute();
  const items = rows.map(({ refund_id, payment_id, merchant_id, amount_minor, kind, state, age_s }) => ({
    refundId: refund_id,
    paymentId: payment_id,
    ...(merchant_id !== null && { merchantId: merchant_id }),
    amountMinor: amount_minor.toString(),
    ...(kind !== null && { kind }),
    state,
    ageSeconds: Math.max(0, Math.floor(age_s)),
  }));
  return { outcome: "done", result: { items } };
}
