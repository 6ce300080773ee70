import { randomInt } from "node:crypto";

import { halfOf, maskCardNumber, verdictOf } from "../../../core/index.ts";
import { failure, success } from "../answer.ts";
import type { Circumstances } from "../behaviour.ts";
import { cardPlan, type CardPlan } from "../cards.ts";
import type { Entry, PaymentLine } from "../ledger-line.ts";
import type { Notice } from "../notifications.ts";
import { paymentOf, type ThreeDs } from "../payments.ts";
import { orderRefusals, type PaymentRequest } from "../rules.ts";
import type { ErrorCode } from "../wire/error-codes.ts";
import { defineCall, type Call, type Caller, type Desk, type Judged } from "./call.ts";
import { paymentBody } from "./fields.ts";
import { paymentAnswer, paymentSigns } from "./payment-answer.ts";

export const sale = paymentCall("sale");
export const hold = paymentCall("authorize");

/**
 * A payment without 3-D Secure. Each call is a new payment: it has no key that would identify a repetition.
 */
function paymentCall(operation: "authorize" | "sale"): Call {
  return defineCall<PaymentRequest>({
    group: "payments",
    fault: operation,
    schema: paymentBody,
    behaviour: (_desk, _caller, { pan }) => cardPlan(pan)?.behaviour ?? "plain",
    judge: (desk, caller, request, circumstances, nowMs) => {
      const begun = beginPayment(desk, caller, operation, request, nowMs);
      if ("refusal" in begun) return { outcome: failure(begun.refusal) };
      return charge(desk, begun, undefined, circumstances, nowMs);
    },
  });
}

/** A payment that the bank takes on, and the behaviour of its card, or the code with which it is refused. */
export function beginPayment(
  { payments }: Desk,
  { merchant: { merchantId } }: Caller,
  operation: "authorize" | "sale",
  request: PaymentRequest,
  nowMs: number,
): { line: PaymentLine; plan: CardPlan } | { refusal: ErrorCode } {
  const plan = cardPlan(request.pan);
  const refusal = verdictOf(orderRefusals, { ...request, plan });
  if (refusal || !plan) return { refusal: refusal ?? "12" };
  const at = new Date(nowMs).toISOString();
  const paymentId = payments.nextId();
  const { conversationId, basketId, currency, installment, buyerId, ip } = request;
  const line: PaymentLine = {
    at,
    operation,
    orderId: conversationId,
    transactionId: paymentId,
    amountMinor: Number(request.paidPriceMinor),
    currency,
    outcome: "started",
    pan: maskCardNumber(request.pan),
    merchantId,
    paymentId,
    basketId,
    conversationId,
    resultCode: null,
    authCode: "",
    hostReference: "",
    payment: {
      priceMinor: Number(request.priceMinor),
      installment,
      fraudStatus: 1,
      isThreeDs: false,
      mdStatus: null,
      refusesFollowUps: plan.refusesFollowUps,
      buyerId,
      ip,
      createdAt: at,
      items: request.items.map(({ itemId, priceMinor }) => ({
        itemId,
        paymentTransactionId: payments.nextId(),
        priceMinor: Number(priceMinor),
      })),
    },
  };
  const isExpired = request.expiry < at.slice(0, 7);
  return { line, plan: isExpired ? { ...plan, resultCode: "10054" } : plan };
}

/** Moves the money of a payment, as its issuer and the fraud desk decide. */
export function charge(
  desk: Desk,
  { line: started, plan }: { line: PaymentLine; plan: CardPlan },
  threeDs: ThreeDs | undefined,
  { forcedCode, isPartial, isTwice }: Circumstances,
  nowMs: number,
): Judged {
  const { fraudStatus } = desk.modes;
  const isFraud = plan.resultCode === null && fraudStatus === -1;
  const code = forcedCode ?? plan.resultCode ?? (isFraud ? "10034" : null);
  const { amountMinor, payment: facts } = started;
  const line = {
    ...started,
    ...verdictFields(code, nowMs),
    amountMinor: isPartial && code === null ? Number(halfOf(BigInt(amountMinor))) : amountMinor,
    payment: { ...facts, fraudStatus: isFraud ? -1 : code === null ? fraudStatus : 1 },
  };
  const notice: Notice = {
    iyziEventType: threeDs ? "THREE_DS_AUTH" : "API_AUTH",
    paymentId: line.paymentId,
    paymentConversationId: line.orderId,
    status: code === null ? "SUCCESS" : "FAILURE",
  };
  // The fraud desk's refusal is a field of a payment's answer.
  if (code !== null && !isFraud) return { outcome: failure(code), line, notice };
  const answer = paymentAnswer(desk, paymentOf({ line, threeDs }));
  const again = isTwice && code === null ? underAnotherId(desk, line) : undefined;
  return { outcome: success(answer, paymentSigns), line, again, notice };
}

/** The same payment carried out again, in the first one's conversation and under new names. */
function underAnotherId({ payments }: Desk, line: PaymentLine & Entry): Entry {
  const paymentId = payments.nextId();
  const items = line.payment.items.map((item) => ({ ...item, paymentTransactionId: payments.nextId() }));
  const payment = { ...line.payment, items };
  return { ...line, paymentId, transactionId: paymentId, payment, uncalled: "again" };
}

/** The fields of a line that say how a call was judged. */
export function verdictFields(code: ErrorCode | null, nowMs: number) {
  return {
    at: new Date(nowMs).toISOString(),
    outcome: code === null ? ("approved" as const) : ("declined" as const),
    resultCode: code,
    authCode: code === null ? digits(6) : "",
    hostReference: digits(12),
  };
}

function digits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join("");
}
