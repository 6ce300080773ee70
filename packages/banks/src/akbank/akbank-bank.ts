import { randomUUID } from "node:crypto";

import {
  orderIdOf,
  type AcquirerAmount,
  type AcquirerCard,
  type AcquirerConnector,
  type AcquirerOutcome,
  type AcquirerWire,
  type BusinessDay,
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
  isVoidLate,
  leadsNowhere,
  MISMATCH,
  NUMERIC_CURRENCIES,
  probedAt,
  probedBy,
  standingIn,
  UNSUPPORTED,
  voidByRecord,
  type CallOutcome,
  type Order,
  type OrderBank,
  type OrderRecord,
  type PaymentCall,
  type Proof,
  type Standing,
  type VoidOutcome,
} from "@holdfast/acquirer/kit";

import {
  AKBANK_TERMINAL,
  akbankCapabilities,
  akbankSecrets,
  akbankSettings,
  type AkbankSecrets,
  type AkbankSettings,
} from "./akbank-settings.ts";
import { outcomeOf, readAnswer, type BankAnswer, type Refused } from "./answer.ts";
import { readGateRefusal, readReturn } from "./browser-return.ts";
import { readHistory } from "./order-history.ts";
import {
  gateForm,
  isOrderId,
  orderRequest,
  stampOf,
  writeAmount,
  type OrderCall,
  type WrittenAmount,
} from "./requests.ts";
import { AKBANK_CODE_LIST, NO_TARGET, VOID_REFUSALS } from "./result-codes.ts";
import { signatureOf } from "./signatures.ts";

/** Akbank's own protocol, JSON. */
export const akbankConnector: AcquirerConnector<AkbankSettings, AkbankSecrets> = {
  protocol: "akbank",
  settings: akbankSettings,
  secrets: akbankSecrets,
  terminal: AKBANK_TERMINAL,
  currencies: [...NUMERIC_CURRENCIES.keys()],
  codes: AKBANK_CODE_LIST,
  capabilities: akbankCapabilities,
  connect: (account, secrets, wire) => createOrderAcquirer(new AkbankBank(account, secrets, wire)),
};

/**
 * An account at Akbank. The bank's protocol implements the port in this way:
 *
 * - The order's id is the bank's `orderId`, which a single attempt uses up. Captures and refunds name the
 * order, and have no reference of ours.
 * - A deadline is ours alone: the bank has no parameter for it.
 * - A void reverses the order's last movement, whichever that is, so it is sent only if the record shows the
 * right one as the last.
 * - An inquiry reads the order's history. A void is the state of the voided movement.
 * - An answer has no amount, so an approval is confirmed by the history before it is believed: see
 * `confirmAmounts`.
 *
 * Bodies have card numbers in them, so nothing here is logged, thrown or kept.
 */
class AkbankBank implements OrderBank<WrittenAmount, Proof> {
  readonly capabilities: Capabilities;
  readonly confirmsAmounts: boolean;
  readonly nothingLeft = {};
  readonly #settings: AkbankSettings;
  readonly #businessDay: BusinessDay;
  readonly #secretKey: string;
  readonly #addresses: BankAddresses<"api" | "gate">;

  /** @throws PlaintextRefusedError for an address over plain HTTP to another machine, unless the wire allows it. */
  constructor(
    { settings, businessDay }: ConnectedAccount<AkbankSettings>,
    { secretKey }: AkbankSecrets,
    wire: AcquirerWire,
  ) {
    this.capabilities = akbankCapabilities(settings);
    this.confirmsAmounts = settings.confirmAmounts;
    this.#settings = settings;
    this.#businessDay = businessDay;
    this.#secretKey = secretKey;
    this.#addresses = new BankAddresses({ api: settings.apiUrl, gate: settings.gateUrl }, wire);
  }

  write({ amountMinor, currency, orderId }: AcquirerAmount & { orderId: string }) {
    return isOrderId(orderId) ? writeAmount(amountMinor, currency) : undefined;
  }

  pay(call: PaymentCall, amount: WrittenAmount, instrument: AcquirerCard | Proof): Promise<CallOutcome> {
    const { installmentCount, customer } = call;
    const channel = "initiator" in call ? call.initiator?.channel : undefined;
    const payment = {
      instrument,
      installmentCount,
      isMailOrder: channel === "moto" || channel === "recurring",
      ip: customer?.ip,
      email: customer?.email,
    };
    return this.#move({ ...call, waitUntil: call.expiresAt }, { type: call.operation, amount, payment });
  }

  capture(request: FollowUpRequest, amount: WrittenAmount): Promise<CallOutcome> {
    return this.#followUp(request, { type: "capture", amount });
  }

  /** Any part, on any day. */
  async refund(request: FollowUpRequest, amount: WrittenAmount): Promise<AcquirerOutcome> {
    const outcome = await this.#followUp(request, { type: "refund", amount });
    // The payment was approved: the gateway's record of it is behind.
    return isRefused(outcome, NO_TARGET) ? { kind: "not_sent", reason: "no_record" } : outcome;
  }

  isVoidLate(order: Order): boolean {
    return isVoidLate(order, this.#businessDay);
  }

  void(order: Order, name: string): Promise<VoidOutcome> {
    return voidByRecord(order, name, {
      look: () => this.#history(order),
      undo: ({ externalTransactionId }) => this.#move(order, { type: "void" }, externalTransactionId),
      isDayOver: this.isVoidLate(order),
      refusals: VOID_REFUSALS,
    });
  }

  /**
   * Moves no money: the bank authenticates, and the cardholder's browser brings the result, unless the bank refuses the
   * form at once.
   */
  async enrol(request: EnrolmentRequest, amount: WrittenAmount): Promise<EnrolmentOutcome> {
    const form = gateForm(request, amount, this.#settings, this.#secretKey, stampOf(new Date()));
    const exchange = await this.#addresses.postForm("gate", form.toString(), request.expiresAt);
    if (exchange.kind !== "answered") return exchange;
    const html = answeredPage(exchange, request.card, "utf-8");
    if (html === undefined || leadsNowhere(html)) return INVALID_ANSWER;
    const challenge = { type: "html", html } as const;
    return (
      readGateRefusal(html, request.orderId) ?? { kind: "challenge", session: request.orderId, challenge }
    );
  }

  prove(request: CompletionRequest, { amount }: WrittenAmount) {
    return readReturn(request.returned, { ...request, amount }, this.#settings, this.#secretKey);
  }

  async standing(order: Order, name?: string): Promise<Standing> {
    return standingIn(await this.#history(order), order, name);
  }

  async inquire(request: InquiryRequest): Promise<InquiryOutcome> {
    const isCarried = isOrderId(request.orderId) && NUMERIC_CURRENCIES.has(request.currency);
    return isCarried ? this.#history(request) : UNSUPPORTED;
  }

  /**
   * Asks for an order that does not exist: a caller whom the bank accepts gets the answer that the order is
   * unknown.
   */
  async probe(waitUntil: Date): Promise<ProbeOutcome> {
    const orderId = orderIdOf(randomUUID());
    const answer = await this.#call({ type: "history", orderId }, waitUntil);
    const history = recordIn(answer, orderId);
    if (history.kind !== "not_found") return probedBy(history, CALLER);
    const told = answer.kind === "read" ? answer.time : "";
    return probedAt(told, this.#businessDay.timeZone, new Date());
  }

  close(): Promise<void> {
    return this.#addresses.close();
  }

  /** A capture or a refund has a name of its own. */
  async #followUp(request: FollowUpRequest, call: Omit<OrderCall, "orderId">): Promise<CallOutcome> {
    const outcome = await this.#move(request, call);
    const isOld =
      outcome.kind === "approved" && outcome.externalTransactionId === request.target.externalTransactionId;
    return isOld ? MISMATCH : outcome;
  }

  /**
   * Sends a call that moves money.
   * @param voided the name of the movement that a void reverses.
   */
  async #move(order: Order, call: Omit<OrderCall, "orderId">, voided?: string): Promise<CallOutcome> {
    const answer = await this.#call({ ...call, orderId: order.orderId }, order.waitUntil);
    const { instrument } = call.payment ?? {};
    const confidential = [this.#secretKey, ...(instrument ? confidentialOf(instrument) : [])];
    return isUncertain(answer) ? answer : outcomeOf(answer, order, confidential, voided);
  }

  /** Asks for all rows of an order. */
  async #history({ orderId, waitUntil }: Pick<Order, "orderId" | "waitUntil">): Promise<OrderRecord> {
    return recordIn(await this.#call({ type: "history", orderId }, waitUntil), orderId);
  }

  async #call(call: OrderCall, until: Date): Promise<BankAnswer | Refused | Unknown | NotSent> {
    const body = orderRequest(this.#settings, call, stampOf(new Date()));
    const headers = { "content-type": "application/json", "auth-hash": signatureOf(this.#secretKey, body) };
    const exchange = await this.#addresses.exchange("api", { method: "POST", body, headers }, until);
    return exchange.kind === "answered" ? readAnswer(exchange, call, this.#settings) : exchange;
  }
}

function recordIn(answer: BankAnswer | Refused | Unknown | NotSent, orderId: string): OrderRecord {
  if (answer.kind === "refused") return INVALID_ANSWER;
  return isUncertain(answer) ? answer : readHistory(answer, orderId);
}

function isUncertain(outcome: { kind: string }): outcome is Unknown | NotSent {
  return outcome.kind === "unknown" || outcome.kind === "not_sent";
}

const CALLER = "the secret key or the terminal";
