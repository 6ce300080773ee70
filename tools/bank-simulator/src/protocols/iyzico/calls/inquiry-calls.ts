import { z } from "zod";

import { orderAsOf, shownUntil } from "../../../core/index.ts";
import { errorFields, failure, success } from "../answer.ts";
import { cardBin } from "../cards.ts";
import type { Entry } from "../ledger-line.ts";
import type { Modes } from "../modes.ts";
import { itemsOf, paymentOf, seenBy, type Item, type Payment } from "../payments.ts";
import { Decimal } from "../wire/decimal.ts";
import type { AnswerFields } from "../wire/json.ts";
import { defineCall, type Caller, type Desk } from "./call.ts";
import { commonFields, idField, text } from "./fields.ts";
import {
  amountFields,
  cardFields,
  CONNECTOR,
  itemFields,
  paymentAnswer,
  paymentSigns,
} from "./payment-answer.ts";

const whichPayment = z
  .object({
    ...commonFields,
    paymentId: idField.nullish(),
    paymentConversationId: text(255).nullish(),
  })
  .refine(({ paymentId, paymentConversationId }) => !!paymentId || !!paymentConversationId, {
    path: ["paymentId"],
  });

/** The newest payment under an id, as a payment's answer. */
export const detail = defineCall({
  group: "retrieve",
  fault: "inquire",
  schema: whichPayment,
  judge: (desk, caller, request, _circumstances, nowMs) => {
    const payment = paymentsOf(desk, caller, request, nowMs).at(-1);
    if (!payment) return { outcome: failure("5002") };
    const fields = {
      ...paymentAnswer(desk, payment),
      ...declineFields(payment),
      conversationId: request.conversationId || payment.line.orderId,
      paymentStatus: paymentStatus(payment),
    };
    return { outcome: success(fields, paymentSigns) };
  },
});

/** Every payment under an id, with its outcome (iyzico protocol, inquiry). */
export const reportDetails = defineCall({
  group: "retrieve",
  fault: "inquire",
  schema: whichPayment,
  judge: (desk, caller, request, _circumstances, nowMs) => {
    const found = paymentsOf(desk, caller, request, nowMs).filter(
      ({ line }) => Date.parse(line.payment.createdAt) >= nowMs - TWO_YEARS_MS,
    );
    if (found.length === 0 && desk.modes.unknownPayment === "failure") return { outcome: failure("5002") };
    return { outcome: success({ payments: found.map((payment) => reportOf(desk, payment)) }) };
  },
});

const TWO_YEARS_MS = 2 * 365 * 86_400_000;

function paymentsOf(
  { bank, payments, modes }: Desk,
  { merchant: { merchantId } }: Caller,
  { paymentId, paymentConversationId }: z.output<typeof whichPayment>,
  nowMs: number,
): Payment[] {
  const untilMs = shownUntil(nowMs, modes);
  const known = paymentId
    ? [payments.ofId(paymentId)]
    : payments.ofConversation(merchantId, paymentConversationId ?? "");
  return known
    .map((each) => seenBy(bank.book, merchantId, each))
    .filter((payment) => payment !== undefined)
    .filter(({ line }) => Date.parse(line.at) <= untilMs)
    .map(({ line, threeDs, order }) => paymentOf({ line, threeDs }, orderAsOf(order, untilMs)))
    .map((payment) => reviewed(payment, modes));
}

/** The payment as the fraud desk has decided by now. It says so in inquiries only, and moves no money. */
function reviewed(payment: Payment, { reviews }: Readonly<Modes>): Payment {
  if (payment.fraudStatus !== 0 || reviews === "open") return payment;
  return { ...payment, fraudStatus: reviews === "accepted" ? 1 : -1 };
}

type PaymentStatus = "SUCCESS" | "FAILURE" | "INIT_THREEDS" | "CALLBACK_THREEDS";

function paymentStatus({ line, threeDs }: Payment): PaymentStatus {
  if (line.outcome === "approved") return "SUCCESS";
  if (line.outcome === "declined" || threeDs?.returnStatus === "failure") return "FAILURE";
  return threeDs?.returnStatus === "success" ? "CALLBACK_THREEDS" : "INIT_THREEDS";
}

function reportOf(desk: Desk, payment: Payment): AnswerFields {
  const { line, threeDs } = payment;
  const { currency } = line;
  // Only 1 is a success; for a failure the documents say both 0 and 2.
  const statusNumbers = {
    SUCCESS: 1,
    INIT_THREEDS: 2,
    CALLBACK_THREEDS: 3,
    FAILURE: desk.modes.failedPaymentStatus,
  };
  return {
    paymentId: line.paymentId,
    paymentStatus: statusNumbers[paymentStatus(payment)],
    paymentRefundStatus: refundStatus(payment),
    ...amountFields(payment),
    paymentConversationId: line.orderId,
    fraudStatus: payment.fraudStatus,
    ...cardFields(line.pan),
    basketId: line.basketId,
    currency,
    connectorName: CONNECTOR,
    authCode: line.authCode,
    threeDS: threeDs !== undefined,
    phase: payment.phase,
    acquirerBankName: cardBin(line.pan).bankName,
    mdStatus: threeDs?.mdStatus ?? undefined,
    hostReference: line.hostReference,
    createdDate: shownAt(desk, line.payment.createdAt),
    ...declineFields(payment),
    cancels: payment.row?.void ? [cancelOf(desk, payment.row.void)] : [],
    itemTransactions: itemFields(desk, payment, (item) => ({ refunds: refundsOf(desk, item) })),
  };
}

function declineFields({ line: { outcome, resultCode } }: Payment): AnswerFields {
  return outcome === "declined" && resultCode !== null ? errorFields(resultCode) : {};
}

function refundStatus(payment: Payment): string {
  const items = itemsOf(payment);
  if (items.every(({ refunds }) => refunds.length === 0)) return "NOT_REFUNDED";
  return items.every(({ leftMinor }) => leftMinor === 0n) ? "TOTALLY_REFUNDED" : "PARTIALLY_REFUNDED";
}

function cancelOf(desk: Desk, line: Entry): AnswerFields {
  return {
    refundId: line.transactionId,
    cancelConversationId: line.conversationId,
    refundPrice: Decimal.ofMinor(BigInt(line.amountMinor)),
    ...recordFields(desk, line),
  };
}

function refundsOf(desk: Desk, { refunds }: Item): AnswerFields[] {
  return refunds.map(({ line, refundTxId, amountMinor }) => ({
    refundTxId,
    refundConversationId: line.conversationId,
    refundPrice: Decimal.ofMinor(amountMinor),
    isAfterSettlement: line.isAfterSettlement ?? false,
    ...recordFields(desk, line),
    hostReference: shownHostReference(desk, line),
  }));
}

function shownHostReference({ modes: { refundNames } }: Desk, { hostReference }: Entry): string | undefined {
  if (refundNames === "answer_only") return undefined;
  return refundNames === "differ" ? `reported-${hostReference}` : hostReference;
}

function recordFields(desk: Desk, { at, authCode, hostReference, currency }: Entry): AnswerFields {
  return { refundStatus: 1, createdDate: shownAt(desk, at), currencyCode: currency, authCode, hostReference };
}

function shownAt({ bank: { clock } }: Desk, at: string): string {
  return new Date(clock.shown(Date.parse(at))).toISOString();
}
