import {
  judge,
  type AcquirerAmount,
  type AcquirerConnector,
  type AcquirerOutcome,
  type Capabilities,
  type CardRequest,
  type CompletionOutcome,
  type CompletionRequest,
  type EnrolmentOutcome,
  type EnrolmentRequest,
  type FollowUpRequest,
  type InquiryOutcome,
  type NotSent,
  type ProbedAcquirer,
  type ProbeOutcome,
} from "@holdfast/acquirer";
import { PENDING, UNSUPPORTED, withAuthentication } from "@holdfast/acquirer/kit";

import { cancel, reverse } from "./cancels.ts";
import { FAILURE_CODES, IYZICO_CODE_LIST } from "./failure-codes.ts";
import { IyzicoCalls, type Account } from "./iyzico-calls.ts";
import {
  IYZICO_TERMINAL,
  IYZICO_CURRENCIES,
  iyzicoSecrets,
  iyzicoSettings,
  type IyzicoSecrets,
  type IyzicoSettings,
} from "./iyzico-settings.ts";
import { movementsOf, takenUnder } from "./order-details.ts";
import { readIyzicoNotification } from "./read-notification.ts";
import { readGivenBack, readPayment, type ExpectedPayment, type Phase } from "./read-payment.ts";
import {
  captureRequest,
  completionRequest,
  missingField,
  paymentRequest,
  priceOf,
  probeRequest,
  refundRequest,
} from "./requests.ts";
import { readChallenge, readReturn } from "./three-ds.ts";

/**
 * iyzico (api.iyzipay.com), under its request signature IYZWSv2. docs/acquirers.md lists the settings of an account.
 * Its capabilities are the same for every account.
 */
export const iyzicoConnector: AcquirerConnector<IyzicoSettings, IyzicoSecrets> = {
  protocol: "iyzico",
  settings: iyzicoSettings,
  secrets: iyzicoSecrets,
  terminal: IYZICO_TERMINAL,
  currencies: IYZICO_CURRENCIES,
  codes: IYZICO_CODE_LIST,
  capabilities: () => IYZICO_CAPABILITIES,
  connect(account, secrets, wire) {
    const { settings, businessDay } = account;
    return createIyzicoAcquirer({
      settings,
      secrets,
      businessDay,
      calls: new IyzicoCalls(account, secrets, wire),
    });
  },
  readNotification: readIyzicoNotification,
};

/** An inquiry names cancels and refunds by their `conversationId`, and payments by their `basketId`; captures have neither. */
export const IYZICO_CAPABILITIES: Capabilities = {
  repetition: "none",
  ownReferenceOn: ["authorize", "sale", "void", "refund"],
  // A cancel that was made at iyzico's panel shows only as the state of the payment.
  sharesNameOn: ["capture", "void"],
  release: false,
};

/**
 * iyzico over HTTP. A payment's `conversationId` is the order, and its `basketId` our reference: one inquiry
 * by the order finds all of its movements with our reference of each. A follow-up's `conversationId` is its
 * own reference. iyzico has no idempotency, no expiry of a request and no tombstone. So a call that may have
 * been sent is never sent again, and an uncertain outcome is inquired about. Pure functions build requests
 * and read answers.
 */
function createIyzicoAcquirer(account: Account): ProbedAcquirer {
  const { calls, settings } = account;
  return {
    capabilities: IYZICO_CAPABILITIES,
    authorize: (request) => payByCard(account, "/payment/preauth", "PRE_AUTH", request),
    sale: (request) => payByCard(account, "/payment/auth", "AUTH", request),
    capture: (request) => named(account, request, (paymentId) => capture(account, request, paymentId)),
    cancel: (request) => named(account, request, (paymentId) => cancel(account, request, paymentId)),
    release: () => Promise.resolve(UNSUPPORTED),
    refund: (request) => named(account, request, (paymentId) => refund(account, request, paymentId)),
    reverse: (request) => reverse(account, request),
    enrol: (request) => enrol(account, request),
    complete: (request) => complete(account, request),
    missingField: (request) => missingField(request, settings),
    async inquire({ orderId, waitUntil }) {
      const details = await calls.details(orderId, waitUntil);
      return details.kind === "payments" ? movementsOf(details.payments) : details;
    },
    probe: (waitUntil) => probe(account, waitUntil),
    close: () => calls.close(),
  };
}

async function payByCard(
  { settings, secrets, calls }: Account,
  path: string,
  phase: Phase,
  request: CardRequest,
): Promise<AcquirerOutcome> {
  if (!isTaken(request, settings)) return UNSUPPORTED;
  const sent = { ...paymentRequest(path, request, settings), card: request.card };
  const expected = { ...paymentOf(request, phase), priceMinor: priceOf(request, settings) };
  return calls.outcome(sent, request.expiresAt, (answer) => readPayment(answer, expected, secrets));
}

/** The payment that the answer to an authorization or a sale has to be about. */
function paymentOf(request: CardRequest | CompletionRequest, phase: Phase): ExpectedPayment {
  const { orderId: conversationId, reference: basketId, amountMinor, currency } = request;
  return { conversationId, basketId, amountMinor, currency, phase };
}

function isTaken(request: CardRequest, settings: IyzicoSettings): boolean {
  return IYZICO_CURRENCIES.includes(request.currency) && !missingField(request, settings);
}

async function enrol(
  { settings, secrets, calls }: Account,
  request: EnrolmentRequest,
): Promise<EnrolmentOutcome> {
  if (!isTaken(request, settings)) return UNSUPPORTED;
  const { operation, orderId, card } = request;
  const path = `/payment/3dsecure/initialize${operation === "sale" ? "" : "/preauth"}`;
  const sent = { ...paymentRequest(path, request, settings), card };
  return calls.outcome(sent, request.expiresAt, (answer) =>
    readChallenge(answer, { orderId, pan: card.pan }, secrets),
  );
}

/** Nothing is sent before the whole return is proven, and nothing is charged before this call. */
async function complete(
  { settings, secrets, calls }: Account,
  request: CompletionRequest,
): Promise<CompletionOutcome> {
  const returned = readReturn(request.returned, request, secrets);
  if (returned.kind !== "authenticated") return returned;
  const payment = paymentOf(request, request.operation === "sale" ? "AUTH" : "PRE_AUTH");
  const sent = completionRequest(request, settings);
  const outcome = await calls.outcome(sent, request.expiresAt, (answer) =>
    readPayment(answer, { ...payment, paymentId: request.session }, secrets),
  );
  return withAuthentication(outcome, returned.authentication);
}

/**
 * Carries out a follow-up by iyzico's name of its payment. If the name is unknown, iyzico is asked first, and
 * nothing is sent until it answers.
 */
async function named(
  { calls }: Account,
  { target, orderId, parentReference, waitUntil }: FollowUpRequest,
  followUp: (paymentId: string) => Promise<AcquirerOutcome>,
): Promise<AcquirerOutcome> {
  if (target.externalTransactionId !== undefined) return followUp(target.externalTransactionId);
  const details = await calls.details(orderId, waitUntil);
  if (details.kind === "not_sent") return details;
  if (details.kind === "unknown") return NOT_NAMED;
  const [payment, ...more] = takenUnder(details.payments, parentReference);
  return payment && more.length === 0 ? followUp(payment.paymentId) : NOT_NAMED;
}

const NOT_NAMED: NotSent = { kind: "not_sent" };

function capture(
  { settings, secrets, calls }: Account,
  request: FollowUpRequest,
  paymentId: string,
): Promise<AcquirerOutcome> {
  const { reference: conversationId, parentReference: basketId, amountMinor, currency } = request;
  const payment = { conversationId, basketId, amountMinor, currency, paymentId };
  const sent = captureRequest(request, paymentId, settings);
  return calls.outcome(sent, request.waitUntil, (answer) =>
    readPayment(answer, { ...payment, phase: "POST_AUTH" }, secrets),
  );
}

/**
 * iyzico may take the second of two equal refunds for a copy, and answer it with the first one's approval, under a
 * name that reporting does not have. So an approval is believed once reporting shows it under our reference, and it
 * has the name that reporting gives it.
 */
async function refund(
  { settings, calls }: Account,
  request: FollowUpRequest,
  paymentId: string,
): Promise<AcquirerOutcome> {
  const { orderId, reference, amountMinor, currency, waitUntil } = request;
  const sent = refundRequest(request, paymentId, settings);
  const outcome = await calls.outcome(sent, waitUntil, (answer) =>
    readGivenBack(answer, { ...request, conversationId: reference, paymentId }),
  );
  if (outcome.kind !== "approved") return outcome;
  const details = await calls.details(orderId, waitUntil);
  if (details.kind !== "payments") return { ...PENDING, heard: outcome };
  const record = movementsOf(details.payments);
  const shown = judge({ reference, kind: "refund", amountMinor, currency }, record, IYZICO_CAPABILITIES);
  if (shown.kind === "approved" && isEqual(shown, request)) return shown;
  // Only an approval that may be another refund's is forgotten, so that ours can be sent again.
  return mayBeCopy(record, request) ? PENDING : { ...PENDING, heard: outcome };
}

/** True if the record shows an equal refund under another reference. */
function mayBeCopy(record: InquiryOutcome, request: FollowUpRequest): boolean {
  const others = record.kind === "found" ? record.movements : [];
  return others.some(
    (other) =>
      other.kind === "refund" &&
      other.ownReference !== undefined &&
      other.ownReference !== request.reference &&
      isEqual(other, request),
  );
}

function isEqual(one: AcquirerAmount, other: AcquirerAmount): boolean {
  return one.amountMinor === other.amountMinor && one.currency === other.currency;
}

/**
 * Every answer of the protocol that does not refuse the account shows that the keys are right, even if it refuses the
 * BIN.
 */
async function probe({ settings, calls }: Account, waitUntil: Date): Promise<ProbeOutcome> {
  const envelope = await calls.post(probeRequest(settings), waitUntil);
  switch (envelope.kind) {
    case "success":
      return { kind: "ok" };
    case "failure": {
      const { code } = envelope.failure;
      return FAILURE_CODES.get(code) === "credentials"
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
