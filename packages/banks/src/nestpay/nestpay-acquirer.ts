import { randomBytes, randomUUID } from "node:crypto";

import type {
  AcquirerOutcome,
  CardOperation,
  CardRequest,
  CompletionOutcome,
  CompletionRequest,
  EnrolmentOutcome,
  EnrolmentRequest,
  FollowUpRequest,
  InquiryOutcome,
  InquiryRequest,
  NotSent,
  ReversalOutcome,
  ReversalRequest,
} from "@holdfast/acquirer";
import type { AcquirerWire, ConnectedAccount, ProbedAcquirer, ProbeOutcome } from "@holdfast/acquirer";
import { approvedBy, declinedBy, type Verdict } from "./answer-verdict.ts";
import { readReturn } from "./browser-return.ts";
import { cardRequest, type CardCall } from "./build-request.ts";
import { captureOrder } from "./capture-order.ts";
import { confirmAmount } from "./confirm-amount.ts";
import { gateForm } from "./gate-form.ts";
import { writeAmount, type WrittenAmount } from "./nestpay-amount.ts";
import { NestpayBank } from "./nestpay-bank.ts";
import { nestpayCapabilities } from "./nestpay-capabilities.ts";
import type { NestpaySecrets, NestpaySettings } from "./nestpay-settings.ts";
import { movementsOf } from "./order-history.ts";
import { refundOrder } from "./refund-order.ts";
import { voidOrder, voidTarget } from "./void-order.ts";

/**
 * An account at a bank of the Nestpay kind. The bank's way to express each part of the port:
 *
 * - The order's id is the bank's `OrderId`, of which it approves one authorization or sale. Captures, voids and refunds
 * have no reference of ours.
 * - A deadline is our own only: the bank knows none.
 * - A reversal is a void of the success that the history shows. An order that the bank has not seen cannot be bound.
 * - An inquiry is the order's history. It has no currency, and an order has only one.
 * - An answer has no amount, so that an approval is confirmed by the history before it is believed: see
 * `confirmAmounts`.
 *
 * @throws TypeError for an address over plain HTTP to another machine, unless the wire allows it.
 */
export function createNestpayAcquirer(
  account: ConnectedAccount<NestpaySettings>,
  secrets: NestpaySecrets,
  wire: AcquirerWire,
): ProbedAcquirer {
  const bank = new NestpayBank(account, secrets, wire);
  const { settings, businessDay } = account;
  const { creditBeforeDayEnd } = settings;
  return {
    capabilities: nestpayCapabilities(settings),
    authorize: (request) => payByCard(bank, "authorize", request, settings),
    sale: (request) => payByCard(bank, "sale", request, settings),
    capture: (request) => within(request, (amount) => captureOrder(bank, request, amount)),
    cancel: (request) => within(request, () => cancel(bank, request)),
    // A capture of less releases the rest.
    release: () => Promise.resolve(UNSUPPORTED),
    refund: (request) =>
      within(request, (amount) =>
        refundOrder(bank, request, amount, { creditBeforeDayEnd, businessDay, now: new Date() }),
      ),
    reverse: (request) => within(request, () => reverse(bank, request)),
    enrol: (request) => within(request, (amount) => enrol(bank, request, { amount, settings, secrets })),
    complete: (request) =>
      within(request, (amount) => complete(bank, request, { amount, settings, secrets })),
    inquire: (request) =>
      isOrderId(request.orderId) ? inquire(bank, request) : Promise.resolve(UNSUPPORTED),
    probe: (waitUntil) => probe(bank, waitUntil),
    close: () => bank.close(),
  };
}

type Terms = { amount: WrittenAmount; settings: NestpaySettings; secrets: NestpaySecrets };

/** Sends nothing that the protocol cannot carry: another currency, more digits, an order's id of other characters. */
async function within<Outcome>(
  { amountMinor, currency, orderId }: { amountMinor: bigint; currency: string; orderId: string },
  call: (amount: WrittenAmount) => Promise<Outcome>,
): Promise<Outcome | NotSent> {
  const amount = writeAmount(amountMinor, currency);
  return amount && isOrderId(orderId) ? call(amount) : UNSUPPORTED;
}

function isOrderId(text: string): boolean {
  return /^[A-Za-z0-9]{1,64}$/.test(text);
}

async function payByCard(
  bank: NestpayBank,
  operation: CardOperation,
  request: CardRequest,
  settings: NestpaySettings,
): Promise<AcquirerOutcome> {
  return within(request, async (amount) => {
    const { card } = request;
    const call = { ...request, operation, amount, instrument: card };
    return outcomeOf(await sendCard(bank, call, settings, [card.pan, card.cvv]), request);
  });
}

async function sendCard(
  bank: NestpayBank,
  call: CardCall & { amountMinor: bigint; expiresAt: Date },
  { confirmAmounts }: NestpaySettings,
  confidential: string[],
): Promise<Verdict> {
  const { orderId, amountMinor, expiresAt: until } = call;
  const verdict = await bank.order(cardRequest(bank.caller, call), until, call, confidential);
  return confirmAmounts ? confirmAmount(bank, verdict, { orderId, amountMinor, until }) : verdict;
}

async function cancel(bank: NestpayBank, request: FollowUpRequest): Promise<AcquirerOutcome> {
  const outcome = await voidTarget(bank, request);
  return outcome.kind === "settled" ? { ...outcome, kind: "declined", declineClass: "technical" } : outcome;
}

async function reverse(bank: NestpayBank, { orderId, waitUntil }: ReversalRequest): Promise<ReversalOutcome> {
  // The history is read even where a name is known, so that nothing else of the order is left standing.
  const outcome = await voidOrder(bank, { orderId, until: waitUntil });
  switch (outcome.kind) {
    case "voided":
      return { kind: "reversed" };
    case "none":
      return { kind: "nothing_found" };
    case "refused": {
      const { resultCode, resultMessage } = outcome;
      return { kind: "refused", resultCode, resultMessage };
    }
    case "settled":
    case "unknown":
    case "not_sent":
      return outcome;
    default:
      return outcome satisfies never;
  }
}

/** Moves no money: the bank authenticates, and the cardholder's browser brings the result. */
async function enrol(
  bank: NestpayBank,
  request: EnrolmentRequest,
  { amount, settings, secrets: { storeKey } }: Terms,
): Promise<EnrolmentOutcome> {
  const nonce = randomBytes(10).toString("hex");
  const form = gateForm(request, amount, settings, { storeKey, nonce });
  const opened = await bank.openGate(form, request.expiresAt, request.card);
  if (opened.kind !== "page") return opened;
  return { kind: "challenge", session: nonce, challenge: { type: "html", html: opened.html } };
}

/** The amount is our own, regardless of the return. */
async function complete(
  bank: NestpayBank,
  request: CompletionRequest,
  { amount, settings, secrets: { storeKey } }: Terms,
): Promise<CompletionOutcome> {
  const read = readReturn(request.returned, { ...request, amount }, settings, storeKey);
  if (read.kind !== "proven") return read;
  const { instrument, authentication } = read;
  const call = { ...request, amount, instrument };
  const verdict = await sendCard(bank, call, settings, [instrument.md, instrument.cavv]);
  const outcome = outcomeOf(verdict, request);
  return outcome.kind === "approved" || outcome.kind === "declined"
    ? { ...outcome, authentication }
    : outcome;
}

function outcomeOf(verdict: Verdict, request: CardRequest | CompletionRequest) {
  switch (verdict.kind) {
    case "approved":
      return approvedBy(verdict, request);
    case "refused":
      return declinedBy(verdict);
    case "unknown":
    case "not_sent":
      return verdict;
    default:
      return verdict satisfies never;
  }
}

async function inquire(bank: NestpayBank, request: InquiryRequest): Promise<InquiryOutcome> {
  const history = await bank.history(request.orderId, request.waitUntil);
  return history.kind === "found"
    ? { kind: "found", movements: movementsOf(history.rows, request) }
    : history;
}

/** Asks for an order that does not exist: a caller with the right to ask gets the answer that there is none. */
async function probe(bank: NestpayBank, waitUntil: Date): Promise<ProbeOutcome> {
  const history = await bank.history(randomUUID().replaceAll("-", ""), waitUntil);
  if (history.kind === "not_found") return { kind: "ok" };
  if (history.kind === "not_sent" && history.reason === "credentials") {
    const detail = "the bank refuses the user, the password, the client id or this machine's address";
    return { kind: "credentials", detail };
  }
  const detail =
    history.kind === "not_sent"
      ? "no connection"
      : history.kind === "found"
        ? "an answer about an order that does not exist"
        : `no answer of the protocol: ${history.reason}`;
  return { kind: "unreachable", detail };
}

const UNSUPPORTED: NotSent = { kind: "not_sent", reason: "unsupported" };
