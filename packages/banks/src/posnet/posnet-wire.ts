import { shortOrderIdOf, type AcquirerWire, type NotSent, type Unknown } from "@holdfast/acquirer";
import { BankAddresses, type HttpExchange, type Order, type OrderRecord } from "@holdfast/acquirer/kit";

import { readAnswer, type BankAnswer } from "./answer.ts";
import { readHistory } from "./order-history.ts";
import type { PosnetSettings } from "./posnet-settings.ts";
import { callBody, callHeaders, ORDER_PREFIX, type PosnetCall } from "./requests.ts";

/**
 * Prefixes that the bank gives to payments with 3-D Secure: by its document, and as observed by other
 * clients.
 */
const SECURE_PREFIXES = ["TDS_", "TDSC"];

/** The calls of one account over the network. */
export class PosnetWire {
  readonly #settings: PosnetSettings;
  readonly #addresses: BankAddresses<"api" | "gate">;

  /** @throws PlaintextRefusedError for an address over plain HTTP to another machine, unless the wire allows it. */
  constructor(settings: PosnetSettings, wire: AcquirerWire) {
    this.#settings = settings;
    this.#addresses = new BankAddresses({ api: settings.apiUrl, gate: settings.gateUrl }, wire);
  }

  async call(call: PosnetCall, until: Date): Promise<BankAnswer | Unknown | NotSent> {
    const request = {
      method: "POST",
      body: callBody(this.#settings, call),
      headers: callHeaders(this.#settings),
    } as const;
    const exchange = await this.#addresses.exchange("api", request, until);
    return exchange.kind === "answered" ? readAnswer(exchange) : exchange;
  }

  /**
   * Asks for all rows of an order. A payment with 3-D Secure keeps the prefix that the bank gave it, whatever
   * the setting says today. Nothing tells whether the payment used 3-D Secure, so every known prefix is tried
   * before the order counts as not found.
   */
  async history(
    { orderId, waitUntil }: Pick<Order, "orderId" | "waitUntil">,
    undone?: ReadonlySet<string>,
  ): Promise<OrderRecord> {
    for (const prefix of new Set([ORDER_PREFIX, this.#settings.orderPrefix, ...SECURE_PREFIXES])) {
      const orderID = prefix + (shortOrderIdOf(orderId) ?? "");
      const answer = await this.call({ agreement: { orderID } }, waitUntil);
      const record = answer.kind === "read" ? readHistory(answer, orderID, undone) : answer;
      if (record.kind !== "not_found") return record;
    }
    return { kind: "not_found" };
  }

  postForm(form: string, until: Date): Promise<HttpExchange> {
    return this.#addresses.postForm("gate", form, until);
  }

  close(): Promise<void> {
    return this.#addresses.close();
  }
}
