import { z } from "zod";

import { phaseOf, type Payment } from "../bank/payment.ts";
import type { PaymentRequest } from "../bank/payment-request.ts";
import type { Circumstances, Judged, JudgedPayment } from "../bank/judged.ts";
import { cardPlan } from "../bank/test-cards.ts";
import { Decimal } from "../wire/decimal.ts";
import type { AnswerFields } from "../wire/write-answer.ts";
import { defineCall, failure, type Call, type Caller, type Office, type Outcome } from "./call.ts";
import { paymentAnswer, paymentSigns } from "./payment-answer.ts";
import {
  amountField,
  conversationField,
  currencyField,
  idField,
  localeField,
  paymentBody,
  text,
} from "./payment-body.ts";

export const sale = paymentCall("sale");
export const hold = paymentCall("authorize");

function paymentCall(operation: "authorize" | "sale"): Call {
  return defineCall<PaymentRequest>({
    group: "payments",
    fault: operation,
    schema: paymentBody,
    behaviour: (_office, _caller, { pan }) => cardPlan(pan)?.behaviour ?? "plain",
    carryOut: async (office, caller, request, circumstances) => {
      const judged = office.teller.pay(caller.merchant.merchantId, operation, request, circumstances);
      return await answerPayment(office, caller, judged, "API_AUTH");
    },
  });
}

/** Answers a payment that was judged, once its line is durable, and sends its webhook. */
export async function answerPayment(
  { notify }: Office,
  { merchant }: Caller,
  { code, payment, durable }: JudgedPayment,
  iyziEventType: "API_AUTH" | "THREE_DS_AUTH",
): Promise<Outcome> {
  // The answer is composed before the wait, during which the payment may change.
  const isAnswered = payment !== undefined && (code === null || payment.fraudStatus === -1);
  const outcome: Outcome = isAnswered
    ? { kind: "success", fields: paymentAnswer(payment), signs: paymentSigns }
    : failure(code ?? "1");
  await durable;
  if (payment) {
    const status = code === null ? "SUCCESS" : "FAILURE";
    const { paymentId, conversationId } = payment;
    notify(merchant, { iyziEventType, paymentId, paymentConversationId: conversationId, status });
  }
  return outcome;
}

const followUpFields = { locale: localeField, conversationId: conversationField, ip: text(50) };

export const capture = defineCall({
  group: "payments",
  fault: "capture",
  schema: z.object({
    ...followUpFields,
    paymentId: idField,
    paidPrice: amountField,
    currency: currencyField,
  }),
  carryOut: async ({ bank, teller }, { merchant }, request, circumstances) => {
    const { paymentId, paidPrice, currency, conversationId } = request;
    const payment = bank.payment(merchant.merchantId, paymentId);
    if (!payment) return failure("5002");
    const asked = { amountMinor: paidPrice, currency, conversationId };
    const judged = teller.capture(payment, asked, circumstances);
    return await answerFollowUp(judged, payment, () => ({
      kind: "success",
      fields: { ...paymentAnswer(payment), authCode: judged.entry?.authCode, phase: phaseOf(payment) },
      signs: paymentSigns,
    }));
  },
});

const reasonField = z.string().max(50).nullish();
const descriptionField = z.string().max(1_000).nullish();

export const cancel = defineCall({
  group: "cancels",
  fault: "void",
  schema: z.object({
    ...followUpFields,
    paymentId: idField,
    reason: reasonField,
    description: descriptionField,
  }),
  carryOut: async ({ bank, teller }, { merchant }, { paymentId, conversationId }, circumstances) => {
    const payment = bank.payment(merchant.merchantId, paymentId);
    if (!payment) return failure("5002");
    const judged = teller.cancel(payment, conversationId, circumstances);
    return await answerFollowUp(judged, payment, () => ({
      kind: "success",
      fields: {
        ...followUpAnswer(judged, payment),
        cancelHostReference: judged.entry?.hostReference,
        connectorName: CONNECTOR,
      },
      signs: [],
    }));
  },
});

export const refundItem = defineCall({
  group: "refunds",
  fault: "refund",
  schema: z.object({
    ...followUpFields,
    paymentTransactionId: idField,
    price: amountField,
    currency: currencyField,
    reason: reasonField,
    description: descriptionField,
  }),
  carryOut: async ({ bank, teller }, { merchant }, request, circumstances) => {
    const { paymentTransactionId, price, currency, conversationId } = request;
    const payment = bank.ofTransaction(merchant.merchantId, paymentTransactionId);
    const item = payment?.items.find((each) => each.paymentTransactionId === paymentTransactionId);
    if (!payment || !item) return failure("5001");
    const judged = teller.refund(
      payment,
      { item, amountMinor: price, currency, conversationId },
      circumstances,
    );
    const fields = { paymentTransactionId };
    const signs = ["paymentId", "price", "currency", "conversationId"];
    return await answerRefund(judged, payment, fields, signs);
  },
});

export const refundAmount = defineCall({
  group: "refunds",
  fault: "refund",
  schema: z.object({ ...followUpFields, paymentId: idField, price: amountField, currency: currencyField }),
  carryOut: async ({ bank, teller }, { merchant }, request, circumstances: Circumstances) => {
    const { paymentId, price, currency, conversationId } = request;
    const payment = bank.payment(merchant.merchantId, paymentId);
    if (!payment) return failure("5002");
    const asked = { item: undefined, amountMinor: price, currency, conversationId };
    const judged = teller.refund(payment, asked, circumstances);
    return await answerRefund(judged, payment, {}, ["paymentId", "conversationId"]);
  },
});

function answerRefund(judged: Judged, payment: Payment, more: AnswerFields, signs: string[]) {
  return answerFollowUp(judged, payment, () => ({
    kind: "success",
    fields: {
      ...followUpAnswer(judged, payment),
      ...more,
      refundHostReference: judged.entry?.hostReference,
      retryable: false,
    },
    signs,
  }));
}

/** A failure names the payment, as refunds and cancels do (iyzico protocol, answer of a payment). */
async function answerFollowUp(
  { code, durable }: Judged,
  { paymentId }: Payment,
  success: () => Outcome,
): Promise<Outcome> {
  const outcome = code === null ? success() : failure(code, { paymentId, retryable: false });
  await durable;
  return outcome;
}

function followUpAnswer({ entry }: Judged, payment: Payment): AnswerFields {
  return {
    paymentId: payment.paymentId,
    price: Decimal.ofMinor(BigInt(entry?.amountMinor ?? 0)),
    currency: payment.currency,
    authCode: entry?.authCode,
    hostReference: payment.hostReference,
  };
}

export const CONNECTOR = "Simulator POS";
