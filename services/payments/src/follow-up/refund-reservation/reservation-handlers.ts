import {
  carryOutRefundAtBank,
  inquireRefundAtBank,
  listRefundReservations,
  readMovementFacts,
  readSettlingAccounts,
  releaseRefund as releaseRefundCommand,
  reserveRefund as reserveRefundCommand,
  settleRefund as settleRefundCommand,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { listSettlingAccounts } from "../../bank/account/settling-accounts.ts";
import { readPaymentFacts } from "../../payment/movement-facts.ts";
import { listReservations } from "./list-reservations.ts";
import { carryOutAtBank, inquireAtBank, type RefundAtBankDeps } from "./refund-at-bank.ts";
import { releaseRefund, reserveRefund, settleRefund } from "./reserve-refund.ts";

/**
 * What other services may ask of this one: refunds about amounts that it has reserved or wants to and at the bank,
 * settlement about what moved money.
 */
export function reservationHandlers(deps: RefundAtBankDeps) {
  return [
    handler(reserveRefundCommand, ({ context, payload }) =>
      reserveRefund(deps, context.merchant.merchantId, payload),
    ),
    handler(settleRefundCommand, ({ payload }) => settleRefund(deps, payload.refundId)),
    handler(releaseRefundCommand, ({ payload }) => releaseRefund(deps, payload.refundId)),
    handler(readMovementFacts.payments, ({ payload }) => readPaymentFacts(deps.db, payload.ids)),
    handler(readSettlingAccounts, ({ payload }) => listSettlingAccounts(deps.db, payload)),
    handler(carryOutRefundAtBank, ({ context, payload }) =>
      carryOutAtBank(deps, payload, context.deadlineAt),
    ),
    handler(inquireRefundAtBank, ({ context, payload }) => inquireAtBank(deps, payload, context.deadlineAt)),
    handler(listRefundReservations, ({ payload }) => listReservations(deps, payload)),
  ];
}
