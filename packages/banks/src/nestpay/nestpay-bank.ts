import { randomBytes, randomUUID } from "node:crypto";

import type {
  AcquirerAmount,
  AcquirerCard,
  AcquirerWire,
  Capabilities,
  CompletionRequest,
  ConnectedAccount,
  EnrolmentOutcome,
  EnrolmentRequest,
  FollowUpRequest,
  InquiryOutcome,
  InquiryRequest,
  ProbeOutcome,
} from "@holdfast/acquirer";
import {
  answeredPage,
  BankAddresses,
  confidentialOf,
  INVALID_ANSWER,
  probedBy,
  UNSUPPORTED,
  type CallOutcome,
  type Order,
  type OrderBank,
  type PaymentCall,
  type Proof,
  type Standing,
} from "@holdfast/acquirer/kit";

import { outcomeOf, readAnswer, type Asked } from "./answer.ts";
import { readReturn } from "./browser-return.ts";
import { nestpayCapabilities, type NestpaySecrets, type NestpaySettings } from "./nestpay-settings.ts";
import { movementsOf, readHistory, standingIn, type OrderHistory } from "./order-history.ts";
import { refundOrder } from "./refund-order.ts";
import {
  captureRequest,
  cardRequest,
  creditRequest,
  gateForm,
  historyRequest,
  isOrderId,
  voidRequest,
  writeAmount,
  type Caller,
  type WrittenAmount,
} from "./requests.ts";
import { coreCodes } from "./result-codes.ts";

/**
 * An account at a Nestpay bank. The bank's protocol implements the port in this way:
 *
 * - The order's id is the bank's `OrderId`, of which it approves one authorization or sale. Captures, voids
 * and refunds have no reference of ours.
 * - A deadline is ours alone: the bank has no parameter for it.
 * - A reversal is a void of the success in the history. An order that the bank has not seen cannot be bound.
 * - An inquiry reads the order's history. It has no currency, and an order has only one.
 * - An answer has no amount, so an approval is confirmed by the history before it is believed: see
 * `confirmAmounts`.
 *
 * Bodies have card numbers and passwords in them, so nothing here is logged, thrown or kept.
 */
export class NestpayBank implements OrderBank<WrittenAmount, Proof> {
  readonly capabilities: Capabilities;
  readonly confirmsAmounts: boolean;
  /**
   * No authorization that waits for a capture: of another kind (2115), captured (2506), or none at all (2509). Nothing there
   * to void: unknown (2008), no success (2116, 2120), or settled (2511).
   */
  readonly nothingLeft = { capture: coreCodes("2115 2506 2509"), void: coreCodes("2008 2116 2120 2511") };
  readonly settledCode = "CORE-2511";
  readonly #caller: Caller;
  readonly #account: ConnectedAccount<NestpaySettings>;
  readonly #secrets: NestpaySecrets;
  readonly #addresses: BankAddresses<"api" | "gate">;

  /** @throws PlaintextRefusedError for an address over plain HTTP to another machine, unless the wire allows it. */
  constructor(account: ConnectedAccount<NestpaySettings>, secrets: NestpaySecrets, wire: AcquirerWire) {
    const { apiUrl, gateUrl, clientId, mode, confirmAmounts } = account.settings;
    this.capabilities = nestpayCapabilities(account.settings);
    this.confirmsAmounts = confirmAmounts;
    this.#caller = { user: secrets.apiUser, password: secrets.apiPassword, clientId, mode };
    this.#account = account;
    this.#secrets = secrets;
    this.#addresses = new BankAddresses({ api: apiUrl, gate: gateUrl }, wire);
  }

  write({ amountMinor, currency, orderId }: AcquirerAmount & { orderId: string }) {
    return isOrderId(orderId) ? writeAmount(amountMinor, currency) : undefined;
  }

  pay(call: PaymentCall, amount: WrittenAmount, instrument: AcquirerCard | Proof): Promise<CallOutcome> {
    const body = cardRequest(this.#caller, { ...call, amount, instrument });
    return this.#order(body, call.expiresAt, call, confidentialOf(instrument));
  }

  capture(request: FollowUpRequest, amount: WrittenAmount): Promise<CallOutcome> {
    const body = captureRequest(this.#caller, request.orderId, amount);
    return this.#order(body, request.waitUntil, request);
  }

  void(order: Order, transId: string): Promise<CallOutcome> {
    return this.#order(voidRequest(this.#caller, order.orderId, transId), order.waitUntil, order);
  }

  credit(request: FollowUpRequest, amount: WrittenAmount): Promise<CallOutcome> {
    return this.#order(creditRequest(this.#caller, request.orderId, amount), request.waitUntil, request);
  }

  refund(request: FollowUpRequest, amount: WrittenAmount) {
    const { businessDay, settings } = this.#account;
    const { creditBeforeDayEnd } = settings;
    return refundOrder(this, request, amount, { creditBeforeDayEnd, businessDay, now: new Date() });
  }

  /** Moves no money: the bank authenticates, and the cardholder's browser brings the result. */
  async enrol(request: EnrolmentRequest, amount: WrittenAmount): Promise<EnrolmentOutcome> {
    const nonce = randomBytes(10).toString("hex");
    const { storeKey } = this.#secrets;
    const form = gateForm(request, amount, this.#account.settings, { storeKey, nonce });
    const body = new URLSearchParams(form.map(([name, value]) => [name, value])).toString();
    const exchange = await this.#addresses.postForm("gate", body, request.expiresAt);
    if (exchange.kind !== "answered") return exchange;
    const html = answeredPage(exchange, request.card);
    if (html === undefined) return INVALID_ANSWER;
    return { kind: "challenge", session: nonce, challenge: { type: "html", html } };
  }

  prove(request: CompletionRequest, amount: WrittenAmount) {
    const expected = { ...request, amount };
    return readReturn(request.returned, expected, this.#account.settings, this.#secrets.storeKey);
  }

  async standing(order: Order, name?: string): Promise<Standing> {
    return standingIn(await this.#history(order.orderId, order.waitUntil), order.currency, name);
  }

  async inquire(request: InquiryRequest): Promise<InquiryOutcome> {
    if (!isOrderId(request.orderId)) return UNSUPPORTED;
    const history = await this.#history(request.orderId, request.waitUntil);
    return history.kind === "found"
      ? { kind: "found", movements: movementsOf(history.rows, request) }
      : history;
  }

  /**
   * Asks for an order that does not exist: a caller with the right to inquire gets the answer that the order
   * is unknown.
   */
  async probe(waitUntil: Date): Promise<ProbeOutcome> {
    const history = await this.#history(randomUUID().replaceAll("-", ""), waitUntil);
    return history.kind === "not_found" ? { kind: "ok" } : probedBy(history, CALLER);
  }

  close(): Promise<void> {
    return this.#addresses.close();
  }

  /**
   * Sends a call that moves money.
   * @param payer texts of the card, or of the proof in its place.
   */
  async #order(
    body: string,
    until: Date,
    asked: Omit<Asked, "confidential">,
    payer: readonly string[] = [],
  ): Promise<CallOutcome> {
    const exchange = await this.#addresses.postForm("api", body, until);
    if (exchange.kind !== "answered") return exchange;
    const { apiPassword, storeKey } = this.#secrets;
    const answer = readAnswer(exchange);
    const confidential = [apiPassword, storeKey, ...payer];
    return answer ? outcomeOf(answer, { ...asked, confidential }) : INVALID_ANSWER;
  }

  /** Asks for all rows of an order. */
  async #history(orderId: string, until: Date): Promise<OrderHistory> {
    const exchange = await this.#addresses.postForm("api", historyRequest(this.#caller, orderId), until);
    if (exchange.kind !== "answered") return exchange;
    const answer = readAnswer(exchange);
    return answer ? readHistory(answer, orderId) : INVALID_ANSWER;
  }
}

const CALLER = "the user, the password, the client id or this machine's address";
