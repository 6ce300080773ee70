import type {
  AcquirerAmount,
  AcquirerCard,
  AcquirerOutcome,
  Approved,
  Authentication,
  CardOperation,
  CardRequest,
  CompletionOutcome,
  CompletionRequest,
  Declined,
  EnrolmentOutcome,
  EnrolmentRequest,
  FollowUpRequest,
  InquiryOutcome,
  InquiryRequest,
  NotSent,
  ReversalOutcome,
  ReversalRequest,
  Target,
  Unknown,
} from "../acquirer.ts";
import type { Capabilities } from "../capabilities.ts";
import type { ProbedAcquirer, ProbeOutcome } from "../connector.ts";
import { MISMATCH, PENDING, UNSUPPORTED, withAuthentication } from "./outcomes.ts";
import {
  cancelledBy,
  capturedBefore,
  confirmedBy,
  reversedBy,
  voidStanding,
  type Standing,
  type VoidOutcome,
} from "./standing.ts";

/** The outcome that the answer to one call proves. */
export type CallOutcome = Approved | Declined | Unknown | NotSent;

/** An order of the bank's, as far as a void or an inquiry needs it. */
export type Order = AcquirerAmount & {
  orderId: string;
  waitUntil: Date;
  /** Present if the record has to show this operation, and no other. */
  shownAs?: CardOperation;
  /** Present if the record has to show this count. */
  installmentCount?: number;
  requestIp?: string;
  /** Present in a call about an approved payment. */
  target?: Pick<Target, "at" | "capturedMinor">;
  isRepeated?: true;
};

/** An authorization or a sale, by a card or after 3-D Secure. */
export type PaymentCall = (CardRequest | CompletionRequest) & { operation: CardOperation };

/**
 * The calls of a bank that knows a payment by its order: it approves one authorization or sale of an order,
 * does not return our references, and voids a movement by its own name of it.
 * @template Written a request's amount, as the protocol writes it.
 * @template Proof the proof of an authentication, used in place of the card.
 */
export interface OrderBank<Written, Proof> {
  readonly capabilities: Capabilities;
  /**
   * True if answers have no amount: each approval of a payment or a capture is confirmed by the bank's record before it
   * is believed.
   */
  readonly confirmsAmounts: boolean;
  /**
   * Codes of refusals after which a call may have been carried out before: the bank's record is then read.
   * `capture` is absent if the bank does not document them, and then the record is read after every refusal.
   * `void` is absent if the bank's `void` reads the record itself.
   */
  readonly nothingLeft: { readonly capture?: ReadonlySet<string>; readonly void?: ReadonlySet<string> };
  /**
   * The code with which a void is refused after the business day. Absent if the bank does not document it:
   * then the record is read after every refused void, and says whether the day is over.
   */
  readonly settledCode?: string;
  /** True if a void is too late by our own clock, at a bank whose record never says that a day is over. */
  isVoidLate?(order: Order): boolean;

  /** Undefined for what the protocol cannot carry: another currency, more digits, an order's id of other characters. */
  write(request: AcquirerAmount & { orderId: string }): Written | undefined;
  pay(call: PaymentCall, written: Written, payer: AcquirerCard | Proof): Promise<CallOutcome>;
  capture(request: FollowUpRequest, written: Written): Promise<CallOutcome>;
  /** An approval has to have the voided movement's name. */
  void(order: Order, name: string): Promise<VoidOutcome>;
  refund(request: FollowUpRequest, written: Written): Promise<AcquirerOutcome>;
  enrol(request: EnrolmentRequest, written: Written): Promise<EnrolmentOutcome>;
  /** Reads the browser's return, with a call if only the bank can judge it; nothing was authorized before. */
  prove(request: CompletionRequest, written: Written): Proven<Proof> | Promise<Proven<Proof>>;
  /** The success of an order that a call is about. @param name the bank's name of it, if known. */
  standing(order: Order, name?: string): Promise<Standing>;
  inquire(request: InquiryRequest): Promise<InquiryOutcome>;
  probe(waitUntil: Date): Promise<ProbeOutcome>;
  close(): Promise<void>;
}

type Proven<Proof> =
  | { kind: "proven"; proof: Proof; authentication: Authentication }
  | Exclude<CompletionOutcome, { kind: "approved" }>;

type VoidingBank = Pick<
  OrderBank<never, unknown>,
  "void" | "standing" | "nothingLeft" | "settledCode" | "isVoidLate"
>;

/** The port of such a bank. A deadline is our own only, and an order that the bank has not seen cannot be bound. */
export function createOrderAcquirer<Written, Proof>(bank: OrderBank<Written, Proof>): ProbedAcquirer {
  /** Sends nothing that the protocol cannot carry. */
  const within = async <Outcome>(
    request: AcquirerAmount & { orderId: string },
    call: (written: Written) => Promise<Outcome>,
  ): Promise<Outcome | NotSent> => {
    const written = bank.write(request);
    return written === undefined ? UNSUPPORTED : call(written);
  };
  const payByCard = (operation: CardOperation, request: CardRequest) =>
    within(request, (written) => pay(bank, { ...request, operation }, written, request.card));
  return {
    capabilities: bank.capabilities,
    authorize: (request) => payByCard("authorize", request),
    sale: (request) => payByCard("sale", request),
    capture: (request) => within(request, (written) => captureOnce(bank, request, written)),
    cancel: (request) => within(request, () => cancel(bank, request)),
    // A capture of less releases the rest.
    release: () => Promise.resolve(UNSUPPORTED),
    refund: (request) => within(request, (written) => bank.refund(request, written)),
    reverse: (request) => within(request, () => reverse(bank, request)),
    enrol: (request) => within(request, (written) => bank.enrol(request, written)),
    complete: (request) => within(request, (written) => complete(bank, request, written)),
    inquire: (request) => bank.inquire(request),
    probe: (waitUntil) => bank.probe(waitUntil),
    close: () => bank.close(),
  };
}

async function pay<Written, Proof>(
  bank: OrderBank<Written, Proof>,
  call: PaymentCall,
  written: Written,
  payer: AcquirerCard | Proof,
): Promise<CallOutcome> {
  const outcome = await bank.pay(call, written, payer);
  if (outcome.kind !== "approved" || !bank.confirmsAmounts) return outcome;
  const order = { ...call, waitUntil: call.expiresAt, shownAs: call.operation };
  return confirmedBy(await bank.standing(order, outcome.externalTransactionId), outcome, "payment");
}

/** The amount is our own, regardless of the return. */
async function complete<Written, Proof>(
  bank: OrderBank<Written, Proof>,
  request: CompletionRequest,
  written: Written,
): Promise<CompletionOutcome> {
  const read = await bank.prove(request, written);
  if (read.kind !== "proven") return read;
  return withAuthentication(await pay(bank, request, written, read.proof), read.authentication);
}

/** A second capture is refused, and then the record shows the first one. */
async function captureOnce<Written>(
  bank: OrderBank<Written, unknown>,
  request: FollowUpRequest,
  written: Written,
): Promise<CallOutcome> {
  const outcome = await bank.capture(request, written);
  if (outcome.kind === "approved" && bank.confirmsAmounts)
    return confirmedBy(await bank.standing(request), outcome, "capture");
  const codes = bank.nothingLeft.capture;
  if (outcome.kind !== "declined" || codes?.has(outcome.resultCode) === false) return outcome;
  return capturedBefore(await bank.standing(request), request, outcome);
}

/** A settled payment is sent as well, where the bank's refusal is known: the merchant gets it. */
async function cancel(bank: VoidingBank, request: FollowUpRequest): Promise<AcquirerOutcome> {
  return cancelledBy(await voidTarget(bank, request, bank.settledCode === undefined ? "record" : "bank"));
}

/**
 * The record is read even where a name is known, so that nothing else of the order is left standing. What the
 * bank has named in an answer, and its record does not show, is voided by that name. Such a record is behind,
 * and may hide more of the order.
 */
async function reverse(bank: VoidingBank, request: ReversalRequest): Promise<ReversalOutcome> {
  const shown = await voidUnnamed(bank, request);
  const name = request.target.externalTransactionId;
  if (name === undefined || !(await isHidden(bank, request, name, shown))) return reversedBy(shown);
  const named = await voidByName(bank, request, name);
  if (named.kind === "approved") return reversedByName(await bank.standing(request));
  const codes = bank.nothingLeft.void;
  return reversedBy(codes && isRefused(named, codes) ? { kind: "none" } : named);
}

/** The outcome of a void by a name that the record did not show. @param left what it shows afterwards. */
export function reversedByName({ kind }: Standing): ReversalOutcome {
  if (kind === "voided") return { kind: "reversed" };
  // Another success of the order stands, which the next reversal finds.
  const isShown = kind === "live" || kind === "settled" || kind === "several";
  return isShown ? PENDING : { kind: "reversed", isHidden: true };
}

/**
 * True if the bank's record does not show a success that the bank has named. @param ended the end of the void
 * of the success that the record does show.
 */
async function isHidden(bank: VoidingBank, order: Order, name: string, ended: VoidOutcome): Promise<boolean> {
  if (ended.kind === "none") return true;
  if (ended.kind !== "approved" || ended.externalTransactionId === name) return false;
  const standing = await bank.standing(order, name);
  return !("success" in standing) || standing.success.externalTransactionId !== name;
}

/**
 * Voids the target of a cancel or a refund. The record is read first, even if the name is known, because it
 * shows money that was given back without us. The target was approved, so a record without any success of the
 * order lags behind, may hide such a refund, and is read again later.
 *
 * @param settledBy the source that ends the void of a settled target; with `record` nothing is sent then.
 */
export async function voidTarget(
  bank: VoidingBank,
  request: FollowUpRequest,
  settledBy: "record" | "bank",
): Promise<Exclude<VoidOutcome, { kind: "none" }>> {
  const { target } = request;
  // A capture has a name of its own, which may differ from the known name.
  const name = target.capturedMinor === undefined ? target.externalTransactionId : undefined;
  const shown = await bank.standing(request, name);
  if (target.capturedMinor === 0n && isTaken(shown)) return CAPTURED_ELSEWHERE;
  const isSent = shown.kind === "settled" && settledBy === "bank";
  const outcome = await voidShown(bank, request, isSent ? { ...shown, kind: "live" } : shown, name);
  return outcome.kind === "none" ? PENDING : outcome;
}

/** A refund beside it is for people to look at: see `voidStanding`. */
export function isTaken(shown: Standing): boolean {
  if (!("success" in shown) || shown.success.isCredited) return false;
  return shown.success.state === "taken" || shown.success.state === "settled";
}

/**
 * An authorization that is captured at the bank and not here, in its panel or by a capture that people have
 * called FAILED: we must not reverse a capture that is not ours.
 */
export const CAPTURED_ELSEWHERE: Declined = {
  kind: "declined",
  declineClass: "technical",
  resultCode: "CAPTURED",
  resultMessage: "The bank has captured the payment already: capture it here, and refund it",
};

/** Takes the name from the record: without one, banks void an order's last movement, even a cardholder's refund. */
async function voidUnnamed(bank: VoidingBank, order: Order): Promise<VoidOutcome> {
  return voidShown(bank, order, await bank.standing(order));
}

function voidShown(bank: VoidingBank, order: Order, shown: Standing, name?: string): Promise<VoidOutcome> {
  // Beside a refund no void is sent, whose refusal could say that the day is over.
  const isCredited = shown.kind === "live" && shown.success.isCredited && shown.success.state === "taken";
  const isOver = isCredited && bank.isVoidLate?.(order) === true;
  return voidStanding(isOver ? { ...shown, kind: "settled" } : shown, order, {
    send: ({ externalTransactionId }) => voidByName(bank, order, name ?? externalTransactionId),
    settled: () => ({ resultCode: bank.settledCode ?? "SETTLED", resultMessage: "" }),
  });
}

async function voidByName(bank: VoidingBank, order: Order, name: string): Promise<VoidOutcome> {
  const outcome = await bank.void(order, name);
  if (outcome.kind === "approved") return outcome.externalTransactionId === name ? outcome : MISMATCH;
  const codes = bank.nothingLeft.void;
  const mayBeDone =
    codes && outcome.kind === "declined" && (bank.settledCode === undefined || codes.has(outcome.resultCode));
  return mayBeDone ? voidedBefore(bank, order, name, outcome) : outcome;
}

/** A void whose answer was lost is refused when it is repeated, and so is one after the day's end. */
async function voidedBefore(
  bank: VoidingBank,
  order: Order,
  name: string,
  refusal: Declined,
): Promise<VoidOutcome> {
  const { resultCode, resultMessage } = refusal;
  const settled = { resultCode, resultMessage };
  const isSettled = resultCode === bank.settledCode;
  const isNothingLeft = bank.nothingLeft.void?.has(resultCode) === true;
  // The bank answers that nothing is left to void, although its record shows the movement: it is too late.
  const refused: Declined = isNothingLeft ? { ...refusal, isTooLate: true } : refusal;
  const outcome = await voidStanding(await bank.standing(order, name), order, {
    // The record may be a moment behind, and the refusal itself says that the day is over.
    send: () => Promise.resolve(isSettled ? { kind: "settled", ...settled } : refused),
    settled: () => settled,
  });
  if (outcome.kind !== "none") return outcome;
  return isSettled ? { kind: "settled", ...settled } : refusal;
}

export function isRefused(
  outcome: AcquirerOutcome | VoidOutcome,
  codes: ReadonlySet<string>,
): outcome is Declined {
  return outcome.kind === "declined" && codes.has(outcome.resultCode);
}
