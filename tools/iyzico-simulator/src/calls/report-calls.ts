import { z } from "zod";

import type { Movement } from "../bank/bank.ts";
import { commissions } from "../bank/commission.ts";
import { phaseOf, type PaymentItem } from "../bank/payment.ts";
import { istanbulDate, istanbulTime } from "../control/istanbul-time.ts";
import { settlementLines } from "../control/settlement-lines.ts";
import { Decimal } from "../wire/decimal.ts";
import type { AnswerFields } from "../wire/write-answer.ts";
import { defineCall, type Caller, type Office } from "./call.ts";
import { transactionStatus } from "./payment-answer.ts";
import { conversationField, localeField } from "./payment-body.ts";
import { CONNECTOR } from "./payment-calls.ts";

/** A date, or a date with a time after it, as the clients of iyzico send. */
const dateField = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/)
  .transform((text) => text.slice(0, 10));

/** A day's transactions, a page at a time (iyzico protocol, settlement files, API day list). */
export const transactions = defineCall({
  group: "retrieve",
  fault: "inquire",
  schema: z.object({
    locale: localeField,
    conversationId: conversationField,
    transactionDate: dateField,
    page: z
      .string()
      .regex(/^[1-9]\d{0,5}$/)
      .default("1")
      .transform(Number),
  }),
  carryOut: (office, caller, { transactionDate, page }) => {
    const all = transactionsOf(office, caller, transactionDate);
    const fields = {
      transactions: all.slice((page - 1) * PAGE_LENGTH, page * PAGE_LENGTH),
      currentPage: page,
      totalPageCount: Math.ceil(all.length / PAGE_LENGTH),
    };
    return { kind: "success", fields, signs: [] };
  },
});

/** Returns the transactions after a transaction's id. */
export const scrollTransactions = defineCall({
  group: "retrieve",
  fault: "inquire",
  schema: z.object({
    locale: localeField,
    conversationId: conversationField,
    transactionDate: dateField,
    documentScrollVoSortingOrder: z.enum(["ASC", "DESC"]).default("ASC"),
    lastId: z.string().max(50).default(""),
  }),
  carryOut: (office, caller, { transactionDate, documentScrollVoSortingOrder, lastId }) => {
    const all = transactionsOf(office, caller, transactionDate);
    if (documentScrollVoSortingOrder === "DESC") all.reverse();
    const from = all.findIndex(({ transactionId }) => transactionId === lastId) + 1;
    const page = all.slice(from, from + PAGE_LENGTH);
    const next = page.at(-1)?.["transactionId"] ?? lastId;
    return { kind: "success", fields: { transactions: page, lastId: next }, signs: [] };
  },
});

/** Returns the payouts for the days that were closed on a date. */
export const payoutsCompleted = defineCall({
  group: "retrieve",
  fault: null,
  schema: z.object({ locale: localeField, conversationId: conversationField, date: dateField }),
  carryOut: ({ bank }, { merchant }, { date }) => {
    const closings = bank.closings.filter(({ at }) => istanbulDate(Date.parse(at)) === date);
    const lines = closings.flatMap((closing) => settlementLines(bank, closing, merchant.merchantId));
    const payoutCompletedTransactions = lines.map(({ item, kind, netMinor, payment }) => ({
      paymentTransactionId: item.paymentTransactionId,
      payoutAmount: Decimal.ofMinor(netMinor),
      payoutType: kind === "PAYMENT" ? "PAYOUT" : "REFUND_DEDUCTION",
      subMerchantKey: null,
      currency: payment.currency,
    }));
    return { kind: "success", fields: { payoutCompletedTransactions }, signs: [] };
  },
});

/** No payout ever bounces here. */
export const payoutsBounced = defineCall({
  group: "retrieve",
  fault: null,
  schema: z.object({ locale: localeField, conversationId: conversationField, date: dateField }),
  carryOut: () => ({ kind: "success", fields: { bouncedRows: [] }, signs: [] }),
});

const PAGE_LENGTH = 10;

function transactionsOf({ bank }: Office, { merchant }: Caller, date: string): AnswerFields[] {
  return bank.movements
    .filter(
      ({ merchantId, at }) => merchantId === merchant.merchantId && istanbulDate(Date.parse(at)) === date,
    )
    .flatMap((movement) => rowsOf(movement));
}

/** The rows of a movement, one for each item that it is about; a capture is a part of its payment. */
function rowsOf(movement: Movement): AnswerFields[] {
  const { operation, about } = movement;
  switch (operation) {
    case "authorize":
    case "sale":
      return about.items.map((item) => rowOf(movement, item, "PAYMENT", item.paidPriceMinor));
    case "void":
      return about.items.map((item) => rowOf(movement, item, "CANCEL", item.paidPriceMinor));
    case "refund":
      return about.items.flatMap((item) => {
        const part = movement.refunds?.find(
          ({ paymentTransactionId }) => paymentTransactionId === item.paymentTransactionId,
        );
        return part ? [rowOf(movement, item, "REFUND", BigInt(part.amountMinor), part.refundTxId)] : [];
      });
    case "capture":
      return [];
    default:
      return operation satisfies never;
  }
}

function rowOf(
  movement: Movement,
  item: PaymentItem,
  transactionType: "PAYMENT" | "CANCEL" | "REFUND",
  paidMinor: bigint,
  transactionId = `${movement.transactionId}-${item.paymentTransactionId}`,
): AnswerFields {
  const { about, at, conversationId, authCode, hostReference } = movement;
  const isPayment = transactionType === "PAYMENT";
  const index = about.items.indexOf(item);
  const fees = isPayment ? commissions(about.items.map((each) => each.paidPriceMinor))[index] : undefined;
  const { rateUnits, feeUnits } = fees ?? { rateUnits: 0n, feeUnits: 0n };
  const paid = Decimal.ofMinor(paidMinor);
  return {
    transactionType,
    transactionDate: istanbulTime(Date.parse(at)),
    transactionId,
    transactionStatus: transactionStatus(about),
    afterSettlement: movement.isAfterSettlement ? 1 : 0,
    paymentTxId: item.paymentTransactionId,
    paymentId: about.paymentId,
    conversationId,
    paymentPhase: phaseOf(about),
    price: Decimal.ofMinor(item.priceMinor),
    paidPrice: paid,
    transactionCurrency: about.currency,
    installment: about.installment,
    threeDS: about.threeDs ? 1 : 0,
    settlementCurrency: about.currency,
    connectorType: CONNECTOR,
    posOrderId: about.paymentId,
    authCode,
    hostReference,
    basketId: about.basketId,
    iyzicoCommission: Decimal.ofUnits(rateUnits),
    iyzicoFee: Decimal.ofUnits(feeUnits),
    parity: null,
    iyzicoConversionAmount: Decimal.ofUnits(0n),
    merchantPayoutAmount: isPayment ? paid.plusUnits(-rateUnits - feeUnits) : Decimal.ofUnits(-paid.units),
    subMerchantPayoutAmount: Decimal.ofUnits(0n),
  };
}
