import { createHmac } from "node:crypto";

import { startScriptedServer, type Answer as Write } from "../../test/scripted-server.ts";

/** The account of the tests. */
export const SECRETS = { apiKey: "sandbox-apikey", secretKey: "sandbox-secret" };

/** Raw bytes, or fields that become JSON; a function writes the answer itself, or none. */
export type Answer = Record<string, unknown> | string | Buffer | Write<Record<string, unknown>>;

/** A server that gives the answers which a test has written, one after another, and keeps the requests. */
export async function startScriptedIyzico() {
  const server = await startScriptedServer(
    (body) => (body === "" ? {} : JSON.parse(body)) as Record<string, unknown>,
  );
  return { ...server, answers: (...next: Answer[]) => server.answers(...next.map(written)) };
}

function written(answer: Answer): Write<Record<string, unknown>> {
  if (typeof answer === "function") return answer;
  if (typeof answer === "string" || Buffer.isBuffer(answer)) return (response) => response.end(answer);
  return (response) => response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
}

/** A signature over values, written independently from iyzico's page on signatures. */
export function sign(...values: readonly string[]): string {
  return createHmac("sha256", SECRETS.secretKey).update(values.join(":")).digest("hex");
}

type PaymentFields = {
  paymentId?: string;
  currency?: string;
  basketId: string;
  conversationId: string;
  /** An amount without trailing zeros. */
  paidPrice: string;
  price?: string;
};

/** An answer `success` to a payment or a capture, as iyzico's documents show it, with its signature. */
export function paymentAnswer(given: PaymentFields, more: Record<string, unknown> = {}) {
  const fields = { paymentId: "25149157", currency: "TRY", price: given.paidPrice, ...given };
  const { paymentId, currency, basketId, conversationId, paidPrice, price } = fields;
  return {
    status: "success",
    locale: "tr",
    systemTime: 1_458_545_234_852,
    ...fields,
    installment: 1,
    fraudStatus: 1,
    iyziCommissionRateAmount: 0.03245,
    iyziCommissionFee: 0.295,
    cardType: "CREDIT_CARD",
    cardAssociation: "MASTER_CARD",
    cardFamily: "Bonus",
    binNumber: "55287900",
    lastFourDigits: "0008",
    authCode: "301221",
    hostReference: "mock00001iyzihostrfn",
    itemTransactions: [{ itemId: "payment", paymentTransactionId: "27102", transactionStatus: 2 }],
    signature: sign(paymentId, currency, basketId, conversationId, paidPrice, price),
    ...more,
  };
}

/** The genuine answer to a call of ours about a payment of 100.00, signed with what `fields` changes. */
export function answerTo(
  { orderId: conversationId, reference: basketId }: { orderId: string; reference: string },
  fields: Partial<PaymentFields> = {},
  more: Record<string, unknown> = {},
) {
  return paymentAnswer({ conversationId, basketId, paidPrice: "100", ...fields }, more);
}

export function failureAnswer(errorCode: string, conversationId?: string, errorMessage = "refused") {
  return {
    status: "failure",
    errorCode,
    errorMessage,
    errorGroup: "GROUP",
    locale: "tr",
    systemTime: "1458545234852",
    ...(conversationId !== undefined && { conversationId }),
  };
}

/** One payment of the answer of `GET /v2/reporting/payment/details`. */
export function reportedPayment(
  orderId: string,
  basketId: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    paymentId: "25149157",
    paymentConversationId: orderId,
    basketId,
    paymentStatus: 1,
    paymentRefundStatus: "NOT_REFUNDED",
    price: 100,
    paidPrice: 100.0,
    installment: 1,
    fraudStatus: 1,
    currency: "TRY",
    authCode: "301221",
    hostReference: "mock00001iyzihostrfn",
    threeDS: false,
    phase: "AUTH",
    createdDate: "2026-03-10T12:00:00.000+03:00",
    cancels: [],
    itemTransactions: [{ paymentTransactionId: "27102", price: 100, paidPrice: 100, refunds: [] }],
    ...more,
  };
}

export function detailsAnswer(...payments: readonly Record<string, unknown>[]) {
  return { status: "success", locale: "tr", systemTime: 1_458_545_234_852, payments };
}
