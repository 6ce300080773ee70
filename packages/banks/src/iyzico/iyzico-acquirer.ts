import type {
  AcquirerOutcome,
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
  Capabilities,
  BusinessDay,
  ProbedAcquirer,
  ProbeOutcome,
} from "@holdfast/acquirer";
import type { IyzicoCalls } from "./iyzico-calls.ts";
import { IYZICO_CURRENCIES, type IyzicoSecrets, type IyzicoSettings } from "./iyzico-settings.ts";
import { movementsOf } from "./movements-of.ts";
import { planReversal, takenUnder } from "./plan-reversal.ts";
import { cancelOutcome, reversalOutcome } from "./read-cancel.ts";
import { readChallenge } from "./read-challenge.ts";
import { failed, type Envelope } from "./read-envelope.ts";
import { readGivenBack } from "./read-given-back.ts";
import { readPayment, type ExpectedPayment, type Phase } from "./read-payment.ts";
import { readReturn } from "./read-return.ts";
import {
  cancelRequest,
  captureRequest,
  completionRequest,
  missingField,
  paymentRequest,
  probeRequest,
  refundRequest,
} from "./requests.ts";
import { classifyFailure } from "./classify-failure.ts";

/** One account at iyzico, and how it is reached. */
export type IyzicoAccount = {
  settings: IyzicoSettings;
  secrets: IyzicoSecrets;
  businessDay: BusinessDay;
  calls: IyzicoCalls;
};

/**
 * iyzico over HTTP. A payment's `conversationId` is the order, and its `basketId` our reference: one inquiry by the
 * order finds all movements of it, and names our call for each. A follow-up's `conversationId` is its own reference.
 * iyzico has no idempotency, no expiry of a request and no tombstone. So nothing that may have been sent is sent again,
 * and an uncertain outcome is inquired about. Requests are built, and answers read, by pure functions.
 */
export function createIyzicoAcquirer(account: IyzicoAccount): ProbedAcquirer {
  return {
    capabilities: IYZICO_CAPABILITIES,
    authorize: (request) => payByCard(account, "/payment/preauth", "PRE_AUTH", request),
    sale: (request) => payByCard(account, "/payment/auth", "AUTH", request),
    capture: (request) => capture(account, request),
    cancel: (request) => cancel(account, request),
    release: () => Promise.resolve(UNSUPPORTED),
    refund: (request) => refund(account, request),
    reverse: (request) => reverse(account, request),
    enrol: (request) => enrol(account, request),
    complete: (request) => complete(account, request),
    missingField: (request) => missingField(request, account.settings),
    inquire: (request) => inquire(account, request),
    probe: async (waitUntil) =>
      probeOutcome(await account.calls.post(probeRequest(account.settings), waitUntil)),
    close: () => account.calls.close(),
  };
}

/** An inquiry names cancels and refunds by their `conversationId`, and payments by their `basketId`; captures have neither. */
export const IYZICO_CAPABILITIES: Capabilities = {
  repetition: "none",
  ownReferenceOn: ["authorize", "sale", "void", "refund"],
  release: false,
};

const UNSUPPORTED: NotSent = { kind: "not_sent", reason: "unsupported" };

async function payByCard(
  { settings, secrets, businessDay, calls }: IyzicoAccount,
  path: string,
  phase: Phase,
  request: CardRequest,
): Promise<AcquirerOutcome> {
  if (!isTaken(request) || missingField(request, settings)) return UNSUPPORTED;
  const envelope = await calls.post(paymentRequest(path, request, settings), request.expiresAt, request.card);
  const expected = paymentOf(request, phase);
  switch (envelope.kind) {
    case "success":
      return readPayment(envelope.answer, expected, secrets);
    case "failure":
      return failed(envelope.failure, { ...expected, now: new Date(), businessDay });
    default:
      return envelope;
  }
}

/** The payment that the answer to an authorization or a sale has to be about. */
function paymentOf(request: CardRequest | CompletionRequest, phase: Phase): ExpectedPayment {
  const { orderId: conversationId, reference: basketId, amountMinor, currency } = request;
  return { conversationId, basketId, amountMinor, currency, phase };
}

function isTaken({ currency }: { currency: string }): boolean {
  return (IYZICO_CURRENCIES as readonly string[]).includes(currency);
}

async function enrol(
  { settings, secrets, businessDay, calls }: IyzicoAccount,
  request: EnrolmentRequest,
): Promise<EnrolmentOutcome> {
  if (!isTaken(request) || missingField(request, settings)) return UNSUPPORTED;
  const path =
    request.operation === "sale" ? "/payment/3dsecure/initialize" : "/payment/3dsecure/initialize/preauth";
  const { orderId, card } = request;
  const envelope = await calls.post(paymentRequest(path, request, settings), request.expiresAt, card);
  switch (envelope.kind) {
    case "success":
      return readChallenge(envelope.answer, { orderId, pan: card.pan }, secrets);
    case "failure":
      return failed(envelope.failure, { conversationId: orderId, now: new Date(), businessDay });
    default:
      return envelope;
  }
}

/** Nothing is sent before the whole return is proven, and nothing is charged before this call. */
async function complete(
  { settings, secrets, businessDay, calls }: IyzicoAccount,
  request: CompletionRequest,
): Promise<CompletionOutcome> {
  const returned = readReturn(request.returned, request, secrets);
  if (returned.kind !== "authenticated") return returned;
  const { authentication } = returned;
  const envelope = await calls.post(completionRequest(request, settings), request.expiresAt);
  const expected = {
    ...paymentOf(request, request.operation === "sale" ? "AUTH" : "PRE_AUTH"),
    paymentId: request.session,
  };
  switch (envelope.kind) {
    case "success":
      return withAuthentication(readPayment(envelope.answer, expected, secrets), authentication);
    case "failure":
      return withAuthentication(
        failed(envelope.failure, { ...expected, now: new Date(), businessDay }),
        authentication,
      );
    default:
      return envelope;
  }
}

function withAuthentication<Outcome extends { kind: string }, Authentication>(
  outcome: Outcome,
  authentication: Authentication,
): Outcome | (Outcome & { authentication: Authentication }) {
  const isJudged = outcome.kind === "approved" || outcome.kind === "declined";
  return isJudged ? { ...outcome, authentication } : outcome;
}

async function capture(account: IyzicoAccount, request: FollowUpRequest): Promise<AcquirerOutcome> {
  const { settings, secrets, businessDay, calls } = account;
  const paymentId = await paymentIdOf(account, request);
  if (typeof paymentId !== "string") return paymentId;
  const envelope = await calls.post(captureRequest(request, paymentId, settings), request.waitUntil);
  const { reference: conversationId, parentReference: basketId, amountMinor, currency } = request;
  const expected = {
    conversationId,
    basketId,
    amountMinor,
    currency,
    paymentId,
    phase: "POST_AUTH" as const,
  };
  switch (envelope.kind) {
    case "success":
      return readPayment(envelope.answer, expected, secrets);
    case "failure":
      return failed(envelope.failure, { conversationId, now: new Date(), businessDay });
    default:
      return envelope;
  }
}

async function refund(account: IyzicoAccount, request: FollowUpRequest): Promise<AcquirerOutcome> {
  const { settings, businessDay, calls } = account;
  const paymentId = await paymentIdOf(account, request);
  if (typeof paymentId !== "string") return paymentId;
  const envelope = await calls.post(refundRequest(request, paymentId, settings), request.waitUntil);
  const { reference: conversationId, amountMinor, currency } = request;
  switch (envelope.kind) {
    case "success":
      return readGivenBack(envelope.answer, { conversationId, paymentId, amountMinor, currency });
    case "failure":
      return failed(envelope.failure, { conversationId, now: new Date(), businessDay });
    default:
      return envelope;
  }
}

async function cancel(account: IyzicoAccount, request: FollowUpRequest): Promise<AcquirerOutcome> {
  const { settings, businessDay, calls } = account;
  const paymentId = await paymentIdOf(account, request);
  if (typeof paymentId !== "string") return paymentId;
  const envelope = await calls.post(cancelRequest(request, paymentId, settings), request.waitUntil);
  return cancelOutcome(envelope, { ...request, paymentId }, { now: new Date(), businessDay });
}

/**
 * iyzico's name of a follow-up's payment. Where it is unknown, iyzico is asked first; as long as it does not say,
 * nothing of the follow-up is sent.
 */
async function paymentIdOf(account: IyzicoAccount, request: FollowUpRequest): Promise<string | NotSent> {
  const { externalTransactionId } = request.target;
  if (externalTransactionId !== undefined) return externalTransactionId;
  const details = await account.calls.details(request.orderId, request.waitUntil);
  if (details.kind === "not_sent") return details;
  if (details.kind === "unknown") return { kind: "not_sent" };
  const [payment, ...more] = takenUnder(details.payments, request.parentReference);
  return payment && more.length === 0 ? payment.paymentId : { kind: "not_sent" };
}

/**
 * Asks first, so that a cancel names a payment that stands, and an already cancelled or refunded one is not touched.
 */
async function reverse(account: IyzicoAccount, request: ReversalRequest): Promise<ReversalOutcome> {
  const { settings, businessDay, calls } = account;
  const details = await calls.details(request.orderId, request.waitUntil);
  if (details.kind !== "payments") return details;
  const step = planReversal(details.payments, request, { now: new Date(), businessDay });
  if (step.kind !== "cancel") return step;
  const { paymentId, paidPrice: amountMinor, currency } = step.payment;
  const reference = `${request.reference}:reverse`;
  const envelope = await calls.post(cancelRequest({ reference }, paymentId, settings), request.waitUntil);
  const asked = { reference, paymentId, amountMinor, currency };
  return reversalOutcome(envelope, asked, { now: new Date(), businessDay });
}

async function inquire({ calls }: IyzicoAccount, request: InquiryRequest): Promise<InquiryOutcome> {
  const details = await calls.details(request.orderId, request.waitUntil);
  return details.kind === "payments" ? movementsOf(details.payments) : details;
}

/**
 * Every answer of the protocol that does not refuse the account shows that the keys are right, even if it refuses the
 * BIN.
 */
function probeOutcome(envelope: Envelope): ProbeOutcome {
  switch (envelope.kind) {
    case "success":
      return { kind: "ok" };
    case "failure": {
      const { code } = envelope.failure;
      const { kind } = classifyFailure(code);
      return kind === "credentials"
        ? { kind: "credentials", detail: `iyzico refuses the account (${code})` }
        : { kind: "ok" };
    }
    case "unknown":
      return { kind: "unreachable", detail: `no answer of the protocol (${envelope.reason})` };
    case "not_sent":
      return { kind: "unreachable", detail: "no connection" };
    default:
      return envelope satisfies never;
  }
}
