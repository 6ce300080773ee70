import { z } from "zod";

import { success } from "../answer.ts";
import type { Entry } from "../ledger-line.ts";
import { itemsOf, seenBy, type Item, type Payment } from "../payments.ts";
import { settlementLines } from "../settlement.ts";
import { Decimal } from "../wire/decimal.ts";
import type { AnswerFields } from "../wire/json.ts";
import { wallTime } from "../wire/wall-time.ts";
import { defineCall, type Caller, type Desk } from "./call.ts";
import { commonFields } from "./fields.ts";
import { CONNECTOR, payoutOf, transactionStatus } from "./payment-answer.ts";

/** A date, or a date with a time after it, as the clients of iyzico send. */
const dateField = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/)
  .transform((text) => text.slice(0, 10));
const ofDate = { ...commonFields, transactionDate: dateField };

/** A day's transactions, a page at a time (iyzico protocol, settlement files, API day list). */
export const transactions = defineCall({
  group: "retrieve",
  fault: "inquire",
  schema: z.object({
    ...ofDate,
    page: z
      .string()
      .regex(/^[1-9]\d{0,5}$/)
      .default("1")
      .transform(Number),
  }),
  judge: (desk, caller, { transactionDate, page }) => {
    const all = transactionsOf(desk, caller, transactionDate);
    const fields = {
      transactions: all.slice((page - 1) * PAGE_LENGTH, page * PAGE_LENGTH),
      currentPage: page,
      totalPageCount: Math.ceil(all.length / PAGE_LENGTH),
    };
    return { outcome: success(fields) };
  },
});

/** Returns the transactions after a transaction's id. */
export const scrollTransactions = defineCall({
  group: "retrieve",
  fault: "inquire",
  schema: z.object({
    ...ofDate,
    documentScrollVoSortingOrder: z.enum(["ASC", "DESC"]).default("ASC"),
    lastId: z.string().max(50).default(""),
  }),
  judge: (desk, caller, { transactionDate, documentScrollVoSortingOrder, lastId }) => {
    const all = transactionsOf(desk, caller, transactionDate);
    if (documentScrollVoSortingOrder === "DESC") all.reverse();
    const from = all.findIndex(({ transactionId }) => transactionId === lastId) + 1;
    const page = all.slice(from, from + PAGE_LENGTH);
    const next = page.at(-1)?.["transactionId"] ?? lastId;
    return { outcome: success({ transactions: page, lastId: next }) };
  },
});

/** Returns the payouts for the days that were closed on a date. */
export const payoutsCompleted = defineCall({
  group: "retrieve",
  schema: z.object({ ...commonFields, date: dateField }),
  judge: ({ bank, payments, days }, { merchant }, { date }) => {
    const payoutCompletedTransactions = days
      .filter(({ endedAtMs }) => bank.clock.wall(endedAtMs).date === date)
      .flatMap((day) => settlementLines(payments, day, merchant.merchantId))
      .map(({ item, kind, netMinor, line }) => ({
        paymentTransactionId: item.paymentTransactionId,
        payoutAmount: Decimal.ofMinor(netMinor),
        payoutType: kind === "PAYMENT" ? "PAYOUT" : "REFUND_DEDUCTION",
        subMerchantKey: null,
        currency: line.currency,
      }));
    return { outcome: success({ payoutCompletedTransactions }) };
  },
});

/** No payout ever bounces here. */
export const payoutsBounced = defineCall({
  group: "retrieve",
  schema: z.object({ ...commonFields, date: dateField }),
  judge: () => ({ outcome: success({ bouncedRows: [] }) }),
});

const PAGE_LENGTH = 10;

function transactionsOf({ bank, payments }: Desk, { merchant }: Caller, date: string): AnswerFields[] {
  return payments.movements.flatMap((line) => {
    const payment = seenBy(bank.book, merchant.merchantId, payments.ofId(line.paymentId));
    if (!payment) return [];
    const wall = bank.clock.wall(Date.parse(line.at));
    return wall.date === date ? rowsOf(line, payment, wallTime(wall)) : [];
  });
}

/** The rows of a movement, one for each of its items; a capture is a part of its payment. */
function rowsOf(line: Entry, payment: Payment, transactionDate: string): AnswerFields[] {
  const { operation, transactionId } = line;
  const common = { ...commonRow(line, payment), transactionDate };
  const idOf = (item: Item) => `${transactionId}-${item.paymentTransactionId}`;
  const items = itemsOf(payment);
  switch (operation) {
    case "authorize":
    case "sale":
      return items.map((item) => ({
        ...common,
        ...amountsOf(item, "PAYMENT", idOf(item), item.paidMinor),
        iyzicoCommission: Decimal.ofUnits(item.rateUnits),
        iyzicoFee: Decimal.ofUnits(item.feeUnits),
        merchantPayoutAmount: payoutOf(item),
      }));
    case "void":
      return items.map((item) => ({ ...common, ...amountsOf(item, "CANCEL", idOf(item), item.paidMinor) }));
    case "refund":
      return items.flatMap((item) =>
        item.refunds
          .filter((refund) => refund.line.transactionId === transactionId)
          .map((part) => ({ ...common, ...amountsOf(item, "REFUND", part.refundTxId, part.amountMinor) })),
      );
    case "capture":
      return [];
    default:
      return operation satisfies never;
  }
}

function commonRow(line: Entry, payment: Payment): AnswerFields {
  const { paymentId, currency, basketId } = line;
  return {
    transactionStatus: transactionStatus(payment),
    afterSettlement: line.isAfterSettlement ? 1 : 0,
    paymentId,
    conversationId: line.conversationId,
    paymentPhase: payment.phase,
    transactionCurrency: currency,
    installment: payment.line.payment.installment,
    threeDS: payment.threeDs ? 1 : 0,
    settlementCurrency: currency,
    connectorType: CONNECTOR,
    posOrderId: paymentId,
    authCode: line.authCode,
    hostReference: line.hostReference,
    basketId,
    parity: null,
    iyzicoConversionAmount: ZERO,
    subMerchantPayoutAmount: ZERO,
  };
}

/** The fields of an item. What goes back to the cardholder is deducted whole. */
function amountsOf(
  item: Item,
  transactionType: string,
  transactionId: string,
  paidMinor: bigint,
): AnswerFields {
  return {
    transactionType,
    transactionId,
    paymentTxId: item.paymentTransactionId,
    price: Decimal.ofMinor(item.priceMinor),
    paidPrice: Decimal.ofMinor(paidMinor),
    iyzicoCommission: ZERO,
    iyzicoFee: ZERO,
    merchantPayoutAmount: Decimal.ofMinor(-paidMinor),
  };
}

const ZERO = Decimal.ofUnits(0n);
