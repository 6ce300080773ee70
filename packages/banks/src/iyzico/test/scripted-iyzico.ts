import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The account of the tests. */
export const SECRETS = { apiKey: "sandbox-apikey", secretKey: "sandbox-secret" };

/** A request that the bank received. `fields` is the JSON of the body. */
export type Received = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
  fields: Record<string, unknown>;
};

/** Bytes as they are, or fields that become JSON; a function writes the answer, or none, itself. */
export type Answer =
  | Record<string, unknown>
  | string
  | Buffer
  | ((response: ServerResponse, received: Received) => void);

/** A server that gives the answers which a test has written, one after the other, and keeps the requests. */
export async function startScriptedIyzico() {
  const received: Received[] = [];
  const script: Answer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname, searchParams: query } = new URL(request.url!, "http://bank");
      const body = Buffer.concat(chunks).toString("utf8");
      const fields = (body === "" ? {} : JSON.parse(body)) as Record<string, unknown>;
      const got = { method: request.method!, path: pathname, query, headers: request.headers, body, fields };
      received.push(got);
      const answer = script.shift();
      if (typeof answer === "function") answer(response, got);
      else if (answer === undefined) response.writeHead(500).end("nothing is scripted");
      else if (typeof answer === "string" || Buffer.isBuffer(answer)) response.end(answer);
      else response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    /** Forgets the requests, and gives these answers from here on. */
    answers(...next: Answer[]) {
      received.length = 0;
      script.splice(0, Infinity, ...next);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type ScriptedIyzico = Awaited<ReturnType<typeof startScriptedIyzico>>;

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
