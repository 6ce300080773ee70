import { randomUUIDv7 } from "node:crypto";

import {
  orderIdOf,
  shortOrderIdOf,
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
} from "@holdfast/acquirer";
import {
  answeredPage,
  confidentialOf,
  createOrderAcquirer,
  INVALID_ANSWER,
  isRefused,
  isVoidLate,
  leadsNowhere,
  maskedMessage,
  MISMATCH,
  probedBy,
  refusalOf,
  standingIn,
  targetRow,
  UNSUPPORTED,
  voidByRecord,
  type CallOutcome,
  type Instrument,
  type Order,
  type OrderBank,
  type PaymentCall,
  type Proof,
  type RecordRow,
  type Standing,
  type Success,
  type VoidOutcome,
} from "@holdfast/acquirer/kit";

import { outcomeOf, readBegun, type AskedFor } from "./answer.ts";
import { readResolved, readReturn } from "./browser-return.ts";
import { macOf, type MacKey } from "./macs.ts";
import { captureNameOf, keyOf } from "./order-history.ts";
import {
  POSNET_TERMINAL,
  posnetCapabilities,
  posnetSecrets,
  posnetSettings,
  type PosnetSecrets,
  type PosnetSettings,
} from "./posnet-settings.ts";
import { PosnetWire } from "./posnet-wire.ts";
import {
  beginning,
  gateForm,
  isReturnUrl,
  payment,
  POSNET_CURRENCIES,
  write,
  writeInstallments,
  type PosnetCall,
  type Written,
} from "./requests.ts";
import { classOf, NO_TARGET, POSNET_CODE_LIST, VOID_REFUSALS } from "./result-codes.ts";

/** Yapı Kredi's own protocol, PosNet, in XML. */
export const posnetConnector: AcquirerConnector<PosnetSettings, PosnetSecrets> = {
  protocol: "posnet",
  settings: posnetSettings,
  secrets: posnetSecrets,
  terminal: POSNET_TERMINAL,
  currencies: POSNET_CURRENCIES,
  codes: POSNET_CODE_LIST,
  orderNameOf: (paymentId) => shortOrderIdOf(orderIdOf(paymentId)),
  capabilities: posnetCapabilities,
  connect: (account, secrets, wire) => createOrderAcquirer(new PosnetBank(account, secrets, wire)),
};

/**
 * An account at Yapı Kredi. The bank's protocol implements the port in this way:
 *
 * - The order has 20 characters with the payment's id, behind four of ours, or behind the bank's in 3-D
 * Secure. An approval uses it up forever.
 * - A deadline is ours alone: the bank has no parameter for it.
 * - Movements are named by `hostlogkey`, which a capture may share with its authorization: see
 * `captureNameOf`.
 * - A void names its movement, and is sent only if the record shows that movement.
 * - An inquiry reads the order's record, under both of its names.
 * - An answer has no amount, so an approval is confirmed by the record before it is believed: see
 * `confirmAmounts`.
 * - The bank charges a card even if its holder failed the authentication: only the result that the bank has
 * resolved lets a payment continue.
 *
 * Bodies have card numbers in them, so nothing here is logged, thrown or kept.
 */
class PosnetBank implements OrderBank<Written, Proof> {
  readonly capabilities: Capabilities;
  readonly confirmsAmounts: boolean;
  readonly nothingLeft = {};
  readonly #settings: PosnetSettings;
  readonly #businessDay: BusinessDay;
  readonly #key: MacKey;
  readonly #wire: PosnetWire;

  /** @throws PlaintextRefusedError for an address over plain HTTP to another machine, unless the wire allows it. */
  constructor(
    { settings, businessDay }: ConnectedAccount<PosnetSettings>,
    { encKey }: PosnetSecrets,
    wire: AcquirerWire,
  ) {
    const { merchantId, terminalId } = settings;
    this.capabilities = posnetCapabilities(settings);
    this.confirmsAmounts = settings.confirmAmounts;
    this.#settings = settings;
    this.#businessDay = businessDay;
    this.#key = { merchantId, terminalId, encKey };
    this.#wire = new PosnetWire(settings, wire);
  }

  write(request: AcquirerAmount & { orderId: string }) {
    return write(request);
  }

  pay(call: PaymentCall, written: Written, instrument: AcquirerCard | Proof): Promise<CallOutcome> {
    const channel = "initiator" in call ? call.initiator?.channel : undefined;
    const isMailOrder = channel === "moto" || channel === "recurring";
    const { installmentCount } = call;
    const sent = payment(call.operation, written, {
      instrument,
      installmentCount,
      isMailOrder,
      key: this.#key,
    });
    return this.#move({ ...call, waitUntil: call.expiresAt }, sent, {
      step: "payment",
      installmentCount,
      ...("md" in instrument && { signed: { order: written, key: this.#key } }),
      instrument,
    });
  }

  /** The hold's number of installments is repeated: with fewer the cardholder would have to pay sooner. */
  async capture(request: FollowUpRequest, { amount, currency }: Written): Promise<CallOutcome> {
    const { installmentCount, externalTransactionId } = request.target;
    if (installmentCount === undefined) return UNSUPPORTED;
    const hostLogKey = externalTransactionId ?? (await this.#nameOf(request, "authorize"));
    if (typeof hostLogKey !== "string") return hostLogKey;
    const installment = writeInstallments(installmentCount);
    const capt = { hostLogKey, amount, currencyCode: currency, installment };
    const outcome = await this.#move(request, { capt }, { step: "follow_up", installmentCount });
    return outcome.kind === "approved"
      ? { ...outcome, externalTransactionId: captureNameOf(outcome.externalTransactionId) }
      : outcome;
  }

  /** Refunds any part, on any day. A captured payment is paid back by its capture. */
  async refund(request: FollowUpRequest, { amount, currency }: Written): Promise<AcquirerOutcome> {
    const { capturedMinor, externalTransactionId } = request.target;
    const isCaptured = capturedMinor !== undefined;
    const name =
      (isCaptured ? undefined : externalTransactionId) ??
      (await this.#nameOf(request, isCaptured ? "capture" : "sale"));
    if (typeof name !== "string") return name;
    const hostLogKey = keyOf(name).key;
    const call = { return: { amount, currencyCode: currency, hostLogKey } };
    const outcome = await this.#move(request, call, { step: "follow_up" });
    if (outcome.kind === "approved" && outcome.externalTransactionId === hostLogKey) return MISMATCH;
    // The payment was approved: the gateway's record of it is behind.
    return isRefused(outcome, NO_TARGET) ? { kind: "not_sent", reason: "no_record" } : outcome;
  }

  isVoidLate(order: Order): boolean {
    return isVoidLate(order, this.#businessDay, HOLD_DAYS);
  }

  /** A record may show a void only as a row that no longer counts, and a refusal looks the same. */
  void(order: Order, name: string): Promise<VoidOutcome> {
    const undone = new Set([name]);
    return voidByRecord(order, name, {
      look: () => this.#wire.history(order, undone),
      undo: (success) => {
        undone.add(success.externalTransactionId);
        return this.#undo(order, success);
      },
      isDayOver: this.isVoidLate(order),
      refusals: VOID_REFUSALS,
    });
  }

  /** Moves no money. The bank gives the fields of a form, and the form's answer is the page for the cardholder. */
  async enrol(request: EnrolmentRequest, written: Written): Promise<EnrolmentOutcome> {
    if (!isReturnUrl(request.returnUrl)) return UNSUPPORTED;
    const answer = await this.#wire.call(beginning(request, written, this.#settings), request.expiresAt);
    if (answer.kind !== "read") return answer;
    if (answer.approved !== "1") {
      const resultMessage = maskedMessage(answer.message, this.#confidential(request.card));
      const codeClass = classOf("three_ds", answer.code, answer.message);
      return refusalOf(codeClass, { resultCode: answer.code, resultMessage });
    }
    const begun = readBegun(answer);
    if (!begun) return INVALID_ANSWER;
    const form = gateForm(begun, request, this.#settings).toString();
    const exchange = await this.#wire.postForm(form, request.expiresAt);
    if (exchange.kind !== "answered") return exchange;
    const html = answeredPage(exchange, request.card, "utf-8");
    // The page is kept, and the second part is the card.
    const hasCard = html?.toLowerCase().includes(begun.data2.toLowerCase()) === true;
    if (html === undefined || leadsNowhere(html) || hasCard) return INVALID_ANSWER;
    return { kind: "challenge", session: request.orderId, challenge: { type: "html", html } };
  }

  async prove(request: CompletionRequest, written: Written) {
    const packets = readReturn(request.returned, this.#settings, this.#key);
    if (packets.kind !== "packets") return packets;
    const { bankData, merchantData, sign } = packets;
    const mac = macOf(written, this.#key);
    const call = { oosResolveMerchantData: { bankData, merchantData, sign, mac } };
    const answer = await this.#wire.call(call, request.expiresAt);
    if (answer.kind === "unknown") return { kind: "not_sent" } as const;
    if (answer.kind !== "read") return answer;
    const { acceptMdStatus } = this.#settings;
    const about = { written, installmentCount: request.installmentCount };
    return readResolved(answer, packets, about, { acceptMdStatus, key: this.#key });
  }

  async standing(order: Order, name?: string): Promise<Standing> {
    return standingIn(await this.#wire.history(order), order, name);
  }

  async inquire(request: InquiryRequest): Promise<InquiryOutcome> {
    const isCarried =
      shortOrderIdOf(request.orderId) !== undefined && POSNET_CURRENCIES.includes(request.currency);
    return isCarried ? this.#wire.history(request) : UNSUPPORTED;
  }

  /** Asks for an order that does not exist. The key of 3-D Secure is in no call that could be made for it. */
  async probe(waitUntil: Date): Promise<ProbeOutcome> {
    const history = await this.#wire.history({ orderId: orderIdOf(randomUUIDv7()), waitUntil });
    return history.kind === "not_found" ? { kind: "ok" } : probedBy(history, CALLER);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  /** The name of the movement that a follow-up is about, where the gateway does not know it. */
  async #nameOf(order: Order, kind: RecordRow["kind"]): Promise<string | NotSent> {
    const row = targetRow(await this.#wire.history(order), kind);
    return "kind" in row && row.kind === "not_sent" ? row : row.externalTransactionId;
  }

  #undo(order: Order, { externalTransactionId, state }: Success): Promise<CallOutcome> {
    const { key: hostLogKey, isCapture } = keyOf(externalTransactionId);
    const transaction = isCapture ? "capt" : state === "held" ? "auth" : "sale";
    const call = { reverse: { transaction, hostLogKey } };
    return this.#move(order, call, { step: "void", voided: externalTransactionId });
  }

  /** Sends a call that moves money. */
  async #move(
    order: Order,
    call: PosnetCall,
    {
      instrument,
      ...about
    }: Pick<AskedFor, "step" | "installmentCount" | "signed" | "voided"> & {
      instrument?: Instrument;
    },
  ): Promise<CallOutcome> {
    const answer = await this.#wire.call(call, order.waitUntil);
    if (answer.kind !== "read") return answer;
    const { amountMinor, currency } = order;
    const clock = { now: new Date(), businessDay: this.#businessDay };
    const confidential = this.#confidential(instrument);
    return outcomeOf(answer, { ...about, amountMinor, currency, clock, confidential });
  }

  #confidential(instrument?: Instrument): string[] {
    return [this.#key.encKey, ...(instrument ? confidentialOf(instrument) : [])];
  }
}

const CALLER = "the merchant, the terminal or this machine's address";
/** The bank releases a hold for a week. */
const HOLD_DAYS = 7;
