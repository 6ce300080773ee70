import {
  listRefundReservations,
  releaseRefund as releaseRefundCommand,
  reserveRefund as reserveRefundCommand,
  settleRefund as settleRefundCommand,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import type { Kysely } from "kysely";
import type { PaymentsDatabase } from "../database.ts";
import { listReservations } from "./list-reservations.ts";
import { releaseRefund, reserveRefund, settleRefund } from "./reserve-refund.ts";

/** What the refunds service may ask of this one, about amounts that it has reserved or wants to. */
export function reservationHandlers(deps: { db: Kysely<PaymentsDatabase> }) {
  return [
    handler(reserveRefundCommand, ({ context, payload }) =>
      reserveRefund(deps, context.merchant.merchantId, payload),
    ),
    handler(settleRefundCommand, ({ payload }) => settleRefund(deps, payload.refundId)),
    handler(releaseRefundCommand, ({ payload }) => releaseRefund(deps, payload.refundId)),
    handler(listRefundReservations, ({ payload }) => listReservations(deps, payload)),
  ];
}
