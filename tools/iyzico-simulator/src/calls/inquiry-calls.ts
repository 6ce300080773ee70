import { z } from "zod";

import { cardBin } from "../bank/card-bins.ts";
import {
  isAuthenticationFailed,
  phaseOf,
  refundableOf,
  type Cancel,
  type Payment,
  type PaymentItem,
  type Refund,
} from "../bank/payment.ts";
import type { Modes } from "../control/modes.ts";
import { Decimal } from "../wire/decimal.ts";
import { describeError } from "../wire/error-codes.ts";
import type { AnswerFields } from "../wire/write-answer.ts";
import { defineCall, failure, type Caller, type Office } from "./call.ts";
import { cardFields, commissionFields, itemFields, paymentAnswer, paymentSigns } from "./payment-answer.ts";
import { conversationField, idField, localeField, text } from "./payment-body.ts";
import { CONNECTOR } from "./payment-calls.ts";

const whichPayment = z
  .object({
    locale: localeField,
    conversationId: conversationField,
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
  carryOut: (office, caller, request) => {
    const newest = paymentsOf(office, caller, request).at(-1);
    const payment = newest && reviewed(newest, office.modes);
    if (!payment) return failure("5002");
    const { resultCode, state } = payment;
    const conversationId = request.conversationId || payment.conversationId;
    const decline = state === "declined" && resultCode !== null ? errorFields(resultCode) : {};
    const fields = {
      ...paymentAnswer(payment),
      ...decline,
      conversationId,
      paymentStatus: paymentStatus(payment),
    };
    return { kind: "success", fields, signs: paymentSigns };
  },
});

/** Every payment under an id, with what became of it (iyzico protocol, inquiry). */
export const reportDetails = defineCall({
  group: "retrieve",
  fault: "inquire",
  schema: whichPayment,
  carryOut: (office, caller, request) => {
    const since = office.now() - TWO_YEARS_MS;
    const payments = paymentsOf(office, caller, request).filter(
      ({ createdAt }) => Date.parse(createdAt) >= since,
    );
    if (payments.length === 0 && office.modes.unknownPayment === "failure") return failure("5002");
    return {
      kind: "success",
      fields: {
        payments: payments.map((payment) => reportOf(reviewed(payment, office.modes), office.modes)),
      },
      signs: [],
    };
  },
});

const TWO_YEARS_MS = 2 * 365 * 86_400_000;

function paymentsOf(
  { bank }: Office,
  { merchant: { merchantId } }: Caller,
  {
    paymentId,
    paymentConversationId,
  }: { paymentId?: string | null | undefined; paymentConversationId?: string | null | undefined },
): readonly Payment[] {
  if (!paymentId) return bank.ofConversation(merchantId, paymentConversationId ?? "");
  const payment = bank.payment(merchantId, paymentId);
  return payment ? [payment] : [];
}

/** The payment as the fraud desk has decided by now. It says so in inquiries only, and moves no money. */
function reviewed(payment: Payment, { reviews }: Pick<Modes, "reviews">): Payment {
  if (payment.fraudStatus !== 0 || reviews === "open") return payment;
  return { ...payment, fraudStatus: reviews === "accepted" ? 1 : -1 };
}

function paymentStatus(payment: Payment): string {
  if (isAuthenticationFailed(payment)) return "FAILURE";
  const { state } = payment;
  switch (state) {
    case "approved":
      return "SUCCESS";
    case "declined":
      return "FAILURE";
    case "initialized":
      return "INIT_THREEDS";
    case "returned":
      return "CALLBACK_THREEDS";
    default:
      return state satisfies never;
  }
}

/** The same as numbers, in reports: only 1 is a success, and of a failure the documents say 0 and 2. */
function statusNumber(payment: Payment, { failedPaymentStatus }: Pick<Modes, "failedPaymentStatus">): number {
  return statusNumbers.get(paymentStatus(payment)) ?? failedPaymentStatus;
}

const statusNumbers = new Map([
  ["SUCCESS", 1],
  ["INIT_THREEDS", 2],
  ["CALLBACK_THREEDS", 3],
]);

function reportOf(payment: Payment, modes: Readonly<Modes>): AnswerFields {
  const { paymentId, conversationId, currency, cancel, resultCode, state } = payment;
  return {
    paymentId,
    paymentStatus: statusNumber(payment, modes),
    paymentRefundStatus: refundStatus(payment),
    price: Decimal.ofMinor(payment.priceMinor),
    paidPrice: Decimal.ofMinor(payment.paidPriceMinor),
    installment: payment.installment,
    ...commissionFields(payment),
    paymentConversationId: conversationId,
    fraudStatus: payment.fraudStatus,
    ...cardFields(payment.pan),
    basketId: payment.basketId,
    currency,
    connectorName: CONNECTOR,
    authCode: payment.authCode,
    threeDS: payment.threeDs !== undefined,
    phase: phaseOf(payment),
    acquirerBankName: cardBin(payment.pan).bankName,
    mdStatus: payment.threeDs?.mdStatus ?? undefined,
    hostReference: payment.hostReference,
    createdDate: payment.createdAt,
    ...(state === "declined" && resultCode !== null ? errorFields(resultCode) : {}),
    cancels: cancel ? [cancelOf(cancel, currency)] : [],
    itemTransactions: itemFields(payment, (item) => ({ refunds: refundsOf(item, currency) })),
  };
}

function errorFields(code: Parameters<typeof describeError>[0]): AnswerFields {
  return { errorCode: code, ...describeError(code) };
}

function refundStatus(payment: Payment): string {
  if (payment.items.every(({ refunds }) => refunds.length === 0)) return "NOT_REFUNDED";
  return refundableOf(payment) === 0n ? "TOTALLY_REFUNDED" : "PARTIALLY_REFUNDED";
}

function cancelOf({ refundId, conversationId, amountMinor, ...more }: Cancel, currency: string) {
  return {
    refundId,
    cancelConversationId: conversationId,
    refundPrice: Decimal.ofMinor(amountMinor),
    ...recordFields(more, currency),
  };
}

function refundsOf({ refunds }: PaymentItem, currency: string): AnswerFields[] {
  return refunds.map(({ refundTxId, conversationId, amountMinor, isAfterSettlement, ...more }) => ({
    refundTxId,
    refundConversationId: conversationId,
    refundPrice: Decimal.ofMinor(amountMinor),
    isAfterSettlement,
    ...recordFields(more, currency),
  }));
}

function recordFields(
  { at, authCode, hostReference }: Pick<Refund, "at" | "authCode" | "hostReference">,
  currencyCode: string,
): AnswerFields {
  return { refundStatus: 1, createdDate: at, currencyCode, authCode, hostReference };
}
