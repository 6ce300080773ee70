import {
  carryOutRefundAtBank,
  inquireRefundAtBank,
  listRefundReservations,
  releaseRefund as releaseRefundCommand,
  reserveRefund as reserveRefundCommand,
  settleRefund as settleRefundCommand,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { listReservations } from "./list-reservations.ts";
import { carryOutAtBank, inquireAtBank, type RefundAtBankDeps } from "./refund-at-bank.ts";
import { releaseRefund, reserveRefund, settleRefund } from "./reserve-refund.ts";

/** What the refunds service may ask of this one, about amounts that it has reserved or wants to, and at the bank. */
export function reservationHandlers(deps: RefundAtBankDeps) {
  return [
    handler(reserveRefundCommand, ({ context, payload }) =>
      reserveRefund(deps, context.merchant.merchantId, payload),
    ),
    handler(settleRefundCommand, ({ payload }) => settleRefund(deps, payload.refundId)),
    handler(releaseRefundCommand, ({ payload }) => releaseRefund(deps, payload.refundId)),
    handler(carryOutRefundAtBank, ({ context, payload }) =>
      carryOutAtBank(deps, payload, context.deadlineAt),
    ),
    handler(inquireRefundAtBank, ({ context, payload }) => inquireAtBank(deps, payload, context.deadlineAt)),
    handler(listRefundReservations, ({ payload }) => listReservations(deps, payload)),
  ];
}
