import { randomUUID } from "node:crypto";

import {
  orderIdOf,
  type AcquirerAmount,
  type AcquirerConnector,
  type AcquirerCard,
  type AcquirerOutcome,
  type AcquirerWire,
  type Capabilities,
  type CompletionRequest,
  type ConnectedAccount,
  type EnrolmentOutcome,
  type EnrolmentRequest,
  type FollowUpRequest,
  type InquiryOutcome,
  type InquiryRequest,
  type NotSent,
  type ProbeOutcome,
  type Unknown,
} from "@holdfast/acquirer";
import {
  answeredPage,
  BankAddresses,
  confidentialOf,
  createOrderAcquirer,
  INVALID_ANSWER,
  isRefused,
  MISMATCH,
  NUMERIC_CURRENCIES,
  probedAt,
  probedBy,
  standingIn,
  targetRow,
  UNSUPPORTED,
  type CallOutcome,
  type NamedRow,
  type Order,
  type OrderBank,
  type OrderRecord,
  type PaymentCall,
  type Proof,
  type RecordRow,
  type Standing,
} from "@holdfast/acquirer/kit";

import { outcomeOf, readAnswer, type BankAnswer } from "./answer.ts";
import { readGateRefusal, readReturn } from "./browser-return.ts";
import {
  GARANTI_TERMINAL,
  garantiCapabilities,
  garantiSecrets,
  garantiSettings,
  type GarantiSecrets,
  type GarantiSettings,
} from "./garanti-settings.ts";
import { readHistory } from "./order-history.ts";
import {
  callerOf,
  dummyOf,
  gateForm,
  isOrderId,
  orderRequest,
  transactionType,
  writeAmount,
  type Caller,
  type OrderCall,
  type WrittenAmount,
} from "./requests.ts";
import { GARANTI_CODE_LIST, NOT_FOUND, NOTHING_TO_CAPTURE, NOTHING_TO_VOID } from "./result-codes.ts";

/** Garanti BBVA's own protocol, GVP, in its version 512. */
export const garantiConnector: AcquirerConnector<GarantiSettings, GarantiSecrets> = {
  protocol: "garanti",
  settings: garantiSettings,
  secrets: garantiSecrets,
  terminal: GARANTI_TERMINAL,
  currencies: [...NUMERIC_CURRENCIES.keys()],
  codes: GARANTI_CODE_LIST,
  capabilities: garantiCapabilities,
  connect: (account, secrets, wire) => ({
    ...createOrderAcquirer(new GarantiBank(account, secrets, wire)),
    missingField: ({ customer }) => (customer?.ip === undefined ? "customer.ip" : undefined),
  }),
};

/**
 * An account at Garanti BBVA. The bank's protocol implements the port in this way:
 *
 * - The order's id is the bank's `OrderID`, of which it approves one authorization or sale. Captures, voids
 * and refunds have no reference of ours. Each movement gets a `RetrefNum`, and follow-ups name their target
 * by it.
 * - A deadline is ours alone: the bank has no parameter for it.
 * - A reversal is a void of the success in the record. An order that the bank has not seen cannot be bound.
 * - An inquiry reads the order's history. Its rows have a date without a time.
 * - An answer has no amount, so an approval is confirmed by the history before it is believed: see
 * `confirmAmounts`.
 *
 * Bodies have card numbers in them, so nothing here is logged, thrown or kept.
 */
class GarantiBank implements OrderBank<WrittenAmount, Proof> {
  readonly capabilities: Capabilities;
  readonly confirmsAmounts: boolean;
  readonly nothingLeft = { capture: NOTHING_TO_CAPTURE, void: NOTHING_TO_VOID };
  readonly #settings: GarantiSettings;
  readonly #timeZone: string;
  readonly #secrets: GarantiSecrets;
  readonly #payer: Caller;
  readonly #refunder: Caller;
  readonly #addresses: BankAddresses<"api" | "gate">;

  /** @throws PlaintextRefusedError for an address over plain HTTP to another machine, unless the wire allows it. */
  constructor(
    { settings, businessDay }: ConnectedAccount<GarantiSettings>,
    secrets: GarantiSecrets,
    wire: AcquirerWire,
  ) {
    this.capabilities = garantiCapabilities(settings);
    this.confirmsAmounts = settings.confirmAmounts;
    this.#settings = settings;
    this.#timeZone = businessDay.timeZone;
    this.#secrets = secrets;
    this.#payer = callerOf(settings, secrets.provUser, secrets.provPassword);
    this.#refunder = callerOf(settings, secrets.refundUser, secrets.refundPassword);
    this.#addresses = new BankAddresses({ api: settings.apiUrl, gate: settings.gateUrl }, wire);
  }

  write({ amountMinor, currency, orderId }: AcquirerAmount & { orderId: string }) {
    return isOrderId(orderId) ? writeAmount(amountMinor, currency) : undefined;
  }

  pay(call: PaymentCall, written: WrittenAmount, instrument: AcquirerCard | Proof): Promise<CallOutcome> {
    const { installmentCount, customer } = call;
    const isMailOrder = "initiator" in call && call.initiator?.channel === "moto";
    const type = transactionType(call.operation);
    const buyer = { ip: customer?.ip, email: customer?.email };
    const order = { ...call, waitUntil: call.expiresAt };
    return this.#move(order, { type, ...written, ...buyer, installmentCount, instrument, isMailOrder });
  }

  /** The hold is looked up first: a capture has its name and its number of installments. */
  async capture(request: FollowUpRequest, written: WrittenAmount): Promise<CallOutcome> {
    const hold = await this.#target(request, "authorize", request.target.externalTransactionId);
    if (hold.kind === "not_sent") return hold;
    const { externalTransactionId: originalName, installmentCount } = hold;
    return this.#move(request, { type: "postauth", ...written, installmentCount, originalName });
  }

  /** A void has a name of its own, under which nobody looks for it: the record shows it as the state of its target. */
  async void(order: Order, originalName: string): Promise<CallOutcome> {
    const outcome = await this.#move(order, { type: "void", ...dummyOf(order), originalName });
    return outcome.kind === "approved" ? { ...outcome, externalTransactionId: originalName } : outcome;
  }

  /** Refunds any part, on any day. A captured payment is paid back by its capture, which has another name. */
  async refund(request: FollowUpRequest, written: WrittenAmount): Promise<AcquirerOutcome> {
    const isCaptured = request.target.capturedMinor !== undefined;
    let originalName = isCaptured ? undefined : request.target.externalTransactionId;
    if (originalName === undefined) {
      const target = await this.#target(request, isCaptured ? "capture" : "sale");
      if (target.kind === "not_sent") return target;
      originalName = target.externalTransactionId;
    }
    const outcome = await this.#move(request, { type: "refund", ...written, originalName });
    if (outcome.kind === "approved" && outcome.externalTransactionId === originalName) return MISMATCH;
    // The payment was approved: the gateway's record of it is behind.
    return isRefused(outcome, NOT_FOUND) ? { kind: "not_sent", reason: "no_record" } : outcome;
  }

  /**
   * Moves no money: the bank authenticates, and the cardholder's browser brings the result, also where its page needs no
   * challenge.
   */
  async enrol(request: EnrolmentRequest, written: WrittenAmount): Promise<EnrolmentOutcome> {
    const form = gateForm(request, written, this.#payer, this.#secrets.storeKey);
    const exchange = await this.#addresses.postForm("gate", form.toString(), request.expiresAt);
    if (exchange.kind !== "answered") return exchange;
    const html = answeredPage(exchange, request.card);
    if (html === undefined) return INVALID_ANSWER;
    const challenge = { type: "html", html } as const;
    return readGateRefusal(html) ?? { kind: "challenge", session: request.orderId, challenge };
  }

  prove(request: CompletionRequest) {
    return readReturn(request.returned, request, this.#settings, this.#secrets.storeKey);
  }

  async standing(order: Order, name?: string): Promise<Standing> {
    return standingIn(await this.#history(order), order, name);
  }

  async inquire(request: InquiryRequest): Promise<InquiryOutcome> {
    const isCarried = isOrderId(request.orderId) && NUMERIC_CURRENCIES.has(request.currency);
    return isCarried ? this.#history(request) : UNSUPPORTED;
  }

  /** Asks for an order that does not exist, and has it voided: the bank has to know both users. */
  async probe(waitUntil: Date): Promise<ProbeOutcome> {
    const nobodys = { orderId: orderIdOf(randomUUID()), currency: "TRY", amountMinor: 1n, waitUntil };
    const answer = await this.#askHistory(nobodys);
    const history = answer.kind === "read" ? readHistory(answer) : answer;
    if (history.kind !== "not_found")
      return probedBy(history, `the user ${this.#secrets.provUser}, ${CALLER}`);
    const outcome = await this.void(nobodys, "000000000001");
    if (outcome.kind === "declined")
      return probedAt(answer.kind === "read" ? answer.provDate : "", this.#timeZone, new Date());
    const answered = outcome.kind === "approved" ? ({ kind: "found" } as const) : outcome;
    return probedBy(answered, `the user ${this.#secrets.refundUser}, ${CALLER}`);
  }

  close(): Promise<void> {
    return this.#addresses.close();
  }

  async #target(order: Order, kind: RecordRow["kind"], name?: string): Promise<NamedRow | NotSent> {
    return targetRow(await this.#history(order), kind, name);
  }

  /** Sends a call that moves money. */
  async #move(order: Order, call: Omit<OrderCall, "orderId">): Promise<CallOutcome> {
    const sent = { ip: order.requestIp, ...call, orderId: order.orderId };
    const answer = await this.#call(sent, order.waitUntil);
    const { provPassword, refundPassword, storeKey } = this.#secrets;
    const confidential = [
      provPassword,
      refundPassword,
      storeKey,
      ...(call.instrument ? confidentialOf(call.instrument) : []),
    ];
    return answer.kind === "read" ? outcomeOf(answer, order, confidential) : answer;
  }

  /** Asks for all rows of an order. */
  async #history(order: Omit<Order, "amountMinor">): Promise<OrderRecord> {
    const answer = await this.#askHistory(order);
    return answer.kind === "read" ? readHistory(answer) : answer;
  }

  #askHistory(order: Omit<Order, "amountMinor">): Promise<BankAnswer | Unknown | NotSent> {
    const call = { type: "orderhistoryinq", orderId: order.orderId, ...dummyOf(order) } as const;
    return this.#call(call, order.waitUntil);
  }

  async #call(call: OrderCall, until: Date): Promise<BankAnswer | Unknown | NotSent> {
    const caller = call.type === "void" || call.type === "refund" ? this.#refunder : this.#payer;
    const headers = { "content-type": this.#settings.contentType };
    const request = { method: "POST", body: orderRequest(caller, call), headers } as const;
    const exchange = await this.#addresses.exchange("api", request, until);
    if (exchange.kind !== "answered") return exchange;
    // The bank does not document which user's password signs the answer to the second user.
    const securityData = [caller.securityData, this.#payer.securityData];
    return readAnswer(exchange, { ...this.#settings, orderId: call.orderId, securityData });
  }
}

const CALLER = "its password, the terminal or this machine's address";
