import type {
  HistoryEntry,
  SentCheckout,
  SentOperation,
  SentOrder,
  SentRefund,
} from "../../checker/index.ts";
import type { Merchant } from "../system/onboard-merchant.ts";
import type { CardholderAnswer } from "./cardholder.ts";
import { CARDS, cvvOf, maskPan, type CardName } from "./cards.ts";
import type { ClientHistory } from "./client-history.ts";
import { sendRequest, type Incoming } from "./send-request.ts";

export type Order = {
  orderId: string;
  amount: string;
  currency: string;
  card: CardName;
  /** Charged in one step instead of reserved. */
  sale?: boolean;
  /** The cardholder's answer to a challenge; only with 3-D Secure. */
  cardholder?: CardholderAnswer;
};

export type ClientDeps = {
  merchant: Merchant;
  history: ClientHistory;
  /** Ports of the gateways' merchant API, by their names. */
  gateways: { name: string; port: number }[];
  /** The longest wait for an answer, longer than the gateway takes for a 504. */
  timeoutMs: number;
  /** The authority of the gateways' certificates; without it the client uses plain HTTP. */
  ca?: string | undefined;
};

/** A merchant's server: sends single requests and writes each of them down. */
export class MerchantClient {
  readonly #deps: ClientDeps;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  get merchantId(): string {
    return this.#deps.merchant.merchantId;
  }

  /** POST /api/pre-authorization, /api/payment, or /api/3ds for one with 3-D Secure. @param gateway its index. */
  async post(
    order: Order,
    { gateway = 0, key, body = bodyOf(order) }: { gateway?: number; key?: string; body?: string } = {},
  ): Promise<HistoryEntry> {
    const { orderId, amount, currency, card } = order;
    const sent: SentOrder = { orderId, amount, currency, maskedPan: maskPan(CARDS[card]), behaviour: card };
    const plain = order.sale ? "/api/payment" : "/api/pre-authorization";
    const path = order.cardholder === undefined ? plain : "/api/3ds";
    return await this.#send(gateway, "POST", path, {
      order: sent,
      ...(key !== undefined && { idempotencyKey: key }),
      body,
    });
  }

  /** POST /api/payment/{paymentId}/capture or cancel. */
  async operate(
    operation: SentOperation,
    { gateway = 0, key }: { gateway?: number; key?: string } = {},
  ): Promise<HistoryEntry> {
    const { kind, paymentId, amount } = operation;
    return await this.#send(gateway, "POST", `/api/payment/${paymentId}/${kind}`, {
      operation,
      ...(key !== undefined && { idempotencyKey: key }),
      body: amount === undefined ? "{}" : `{"amount":${amount}}`,
    });
  }

  /** POST /api/payment/{paymentId}/refund. */
  async refund(
    refund: SentRefund,
    { gateway = 0, key, body = refundBodyOf(refund) }: { gateway?: number; key?: string; body?: string } = {},
  ): Promise<HistoryEntry> {
    const { paymentId } = refund;
    return await this.#send(gateway, "POST", `/api/payment/${paymentId}/refund`, {
      refund,
      ...(key !== undefined && { idempotencyKey: key }),
      body,
    });
  }

  /** POST /api/checkout. */
  async openCheckout(
    checkout: SentCheckout,
    { gateway = 0, key }: { gateway?: number; key?: string } = {},
  ): Promise<HistoryEntry> {
    return await this.#send(gateway, "POST", "/api/checkout", {
      checkout,
      ...(key !== undefined && { idempotencyKey: key }),
      body: JSON.stringify({ ...checkout, amount: "AMOUNT", ...SHOP }).replace('"AMOUNT"', checkout.amount),
    });
  }

  /** GET /api/checkout/{checkoutId}. */
  async getCheckout(checkoutId: string, { gateway = 0 }: { gateway?: number } = {}): Promise<HistoryEntry> {
    return await this.#send(gateway, "GET", `/api/checkout/${checkoutId}`, {});
  }

  /** GET /api/payment/{paymentId}. */
  async get(paymentId: string, { gateway = 0 }: { gateway?: number } = {}): Promise<HistoryEntry> {
    return await this.#send(gateway, "GET", `/api/payment/${paymentId}`, {});
  }

  async #send(
    gatewayIndex: number,
    method: "GET" | "POST",
    path: string,
    {
      body,
      ...what
    }: Pick<HistoryEntry, "order" | "checkout" | "operation" | "refund" | "idempotencyKey"> & {
      body?: string;
    },
  ): Promise<HistoryEntry> {
    const { merchant, history, gateways, timeoutMs, ca } = this.#deps;
    const gateway = gateways[gatewayIndex % gateways.length];
    if (!gateway) throw new Error("there is no gateway to send to");
    const sequence = history.next();
    const sentAt = performance.now();
    const headers = {
      "X-API-KEY": merchant.apiKey,
      "X-API-SECRET": merchant.apiSecret,
      ...(body !== undefined && {
        "Content-Type": "application/json",
        "Content-Length": `${Buffer.byteLength(body)}`,
      }),
      ...(what.idempotencyKey !== undefined && { "Idempotency-Key": what.idempotencyKey }),
    };
    const answer = await sendRequest({
      port: gateway.port,
      method,
      path,
      headers,
      timeoutMs,
      ca,
      ...(body !== undefined && { body }),
    });
    const { merchantId } = merchant;
    const entry = {
      sequence,
      merchantId,
      gateway: gateway.name,
      method,
      path,
      ...what,
      sentAt,
      ...ended(answer),
    };
    history.add(entry);
    return entry;
  }
}

function ended(answer: Incoming) {
  const { bytesSent } = answer;
  if (answer.kind === "no_answer") return { bytesSent, replayed: false, error: answer.error };
  const { status, body, headers } = answer;
  const replayed = headers["idempotent-replayed"] === "true";
  const retryAfter = headers["retry-after"];
  return {
    bytesSent,
    status,
    body,
    replayed,
    answeredAt: performance.now(),
    ...(typeof retryAfter === "string" && { retryAfter }),
  };
}

export const SHOP = { successUrl: "https://shop.example/paid", failureUrl: "https://shop.example/failed" };

/** The amount is put in as text: a JavaScript number would lose its last zero. */
function bodyOf(order: Order): string {
  return JSON.stringify({ ...fieldsOf(order), amount: "AMOUNT" }).replace('"AMOUNT"', order.amount);
}

function refundBodyOf({ amount, currency }: SentRefund): string {
  return `{"amount":${amount},"currency":"${currency}"}`;
}

/** The order as a merchant's program has it, for POST /api/3ds where there is a cardholder. */
export function fieldsOf({ orderId, amount, currency, card, sale = false, cardholder }: Order) {
  return {
    orderId,
    amount,
    currency,
    cardHolderName: "Ada Lovelace",
    pan: CARDS[card],
    expiryMonth: "12",
    expiryYear: "35",
    cvv: cvvOf(card),
    requestIp: "203.0.113.7",
    requestPort: 44_321,
    ...(cardholder !== undefined && {
      transactionType: sale ? ("PAYMENT" as const) : ("PRE_AUTHORIZATION" as const),
      ...SHOP,
    }),
  };
}
