/**
 * A pre-authorization in three phases, each one transaction or one external call and never both: claim, authorize,
 * record. What is committed after each phase is enough for another process to go on from there, and no phase is ever
 * repeated blindly: a copy of the message is answered from the first one's row, and an outcome we do not know is left
 * to recovery instead of being called a decline.
 */
import { createHmac, randomUUID } from "node:crypto";
import type { Acquirer, AcquirerOutcome } from "@holdfast/acquirer";
import type { CardOpener } from "@holdfast/card-sealing";
import {
  currencyExponent,
  maskPan,
  PAYMENT_STATUS_CHANGED,
  type ApiPaymentResponse,
  type Card,
  type CommandReply,
  type PreAuthorizePayment,
} from "@holdfast/contracts";
import type { Incoming } from "@holdfast/messaging";
import { certainlyNotCommitted } from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import { findBin, type BinTable } from "../bin/bin-table.ts";
import type { BusinessEvents } from "../business-events.ts";
import type { PaymentsDatabase } from "../database.ts";
import {
  DEADLINE_PASSED,
  decideAuthorization,
  type AcquirerResult,
} from "../payment/authorization-outcome.ts";
import { commissionMinor } from "../payment/commission.ts";
import { findPayment } from "../payment/payment-queries.ts";
import { paymentRecord, webhookBody, type ShownPayment } from "../payment/payment-record.ts";
import type { PaymentClaim, PaymentWrites } from "../payment/payment-writes.ts";

export type PreAuthorizeDeps = {
  db: Kysely<PaymentsDatabase>;
  writes: PaymentWrites;
  acquirer: Acquirer;
  cards: CardOpener;
  bins: BinTable;
  events: BusinessEvents;
  /** Keys the stored fingerprint of the card number. */
  fingerprintKey: Buffer;
  /** ISO 3166-1 alpha-2; cards issued there are DOM. */
  homeCountry: string;
  /** Bound of the acquirer call, shorter than the message's deadline. */
  acquirerTimeoutMs: number;
  /** Epoch milliseconds. */
  now: () => number;
};

export async function preAuthorize(
  deps: PreAuthorizeDeps,
  message: Incoming<PreAuthorizePayment>,
): Promise<CommandReply<ApiPaymentResponse>> {
  const { context, payload } = message;
  const merchantId = context.merchant.merchantId;
  const card = deps.cards.open(payload.card, { paymentId: payload.paymentId, merchantId });

  const claim = await claimPayment(deps, message, card);
  if (claim.kind === "failed") return { outcome: claim.outcome };
  if (claim.kind === "copy") return await answerCopy(deps, message);
  const { payment } = claim;
  if (deps.now() > context.deadlineAt) {
    return await record(deps, message, payment, {
      to: "FAILED",
      cause: "deadline_passed",
      result: DEADLINE_PASSED,
    });
  }

  const decision = decideAuthorization(await authorize(deps, message, payment, card));
  if (decision.to === "UNKNOWN") {
    deps.events.outcomeUnknown(payment, decision.cause);
    return { outcome: "pending", result: paymentRecord(payment) };
  }
  return await record(deps, message, payment, decision);
}

/** A payment this process has claimed: what stands in its row, and the lease that lets us change it. */
type Claimed = ShownPayment & { lease_token: string };

type Claim =
  | { kind: "claimed"; payment: Claimed }
  | { kind: "copy" }
  | { kind: "failed"; outcome: "not_started" | "in_doubt" };

async function claimPayment(
  deps: PreAuthorizeDeps,
  message: Incoming<PreAuthorizePayment>,
  card: Card,
): Promise<Claim> {
  const row = describePayment(deps, message, card);
  try {
    const claimed = await deps.writes.claim(row);
    if (!claimed) return { kind: "copy" };
    return {
      kind: "claimed",
      payment: { ...row, ...NOT_YET_ANSWERED, lease_token: row.lease_token!, ...claimed },
    };
  } catch (error) {
    deps.events.writeFailed("claim", row, error);
    return { kind: "failed", outcome: certainlyNotCommitted(error) ? "not_started" : "in_doubt" };
  }
}

const NOT_YET_ANSWERED = {
  state: "AUTHORIZING",
  external_transaction_id: null,
  auth_code: null,
  result_code: null,
  result_message: null,
} as const;

function describePayment(
  { bins, fingerprintKey, homeCountry }: PreAuthorizeDeps,
  { context: { merchant }, payload }: Incoming<PreAuthorizePayment>,
  card: Card,
): PaymentClaim {
  const { pan } = card.reveal();
  const bin = findBin(bins, pan);
  const amountMinor = BigInt(payload.amountMinor);
  const exponent = currencyExponent(payload.currency) ?? 0;
  return {
    payment_id: payload.paymentId,
    merchant_id: merchant.merchantId,
    transaction_type: "PRE_AUTHORIZATION",
    lease_token: randomUUID(),
    order_id: payload.orderId,
    customer_id: payload.customerId ?? null,
    amount_minor: amountMinor,
    currency: payload.currency,
    currency_exponent: exponent,
    installment_count: 1,
    commission_minor: commissionMinor(amountMinor, payload.currency, exponent, merchant.commission),
    request_ip: payload.requestIp,
    request_port: payload.requestPort,
    card_holder_name: payload.cardHolderName,
    masked_pan: maskPan(pan),
    pan_fingerprint: createHmac("sha256", fingerprintKey).update(pan).digest(),
    dom_int: bin ? (bin.country === homeCountry ? "DOM" : "INT") : null,
    card_scheme: bin?.cardScheme ?? null,
    card_type: bin?.cardType ?? null,
    card_sub_type: bin?.cardSubType ?? null,
    loyalty_code: bin?.loyaltyCode ?? null,
  };
}

function authorize(
  { acquirer, acquirerTimeoutMs, now }: PreAuthorizeDeps,
  { context }: Incoming<PreAuthorizePayment>,
  payment: Claimed,
  card: Card,
): Promise<AcquirerOutcome> {
  return acquirer.authorize({
    reference: payment.payment_id,
    expiresAt: new Date(Math.min(now() + acquirerTimeoutMs, context.deadlineAt)),
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    card: card.reveal(),
    cardHolderName: payment.card_holder_name,
    installmentCount: payment.installment_count,
  });
}

/** From here on the acquirer may have been reached: whatever happens, the answer is the payment, never an error. */
async function record(
  deps: PreAuthorizeDeps,
  message: Incoming<PreAuthorizePayment>,
  payment: Claimed,
  { to, cause, result }: { to: "SUCCESS" | "FAILED"; cause: string; result: AcquirerResult },
): Promise<CommandReply<ApiPaymentResponse>> {
  const recorded: ShownPayment = {
    ...payment,
    state: to,
    external_transaction_id: result.externalTransactionId,
    auth_code: result.authCode,
    result_code: result.resultCode,
    result_message: result.resultMessage,
  };
  const change = {
    payment_id: payment.payment_id,
    lease_token: payment.lease_token,
    from: payment.state,
    to,
    cause,
    external_transaction_id: result.externalTransactionId,
    auth_code: result.authCode,
    result_code: result.resultCode,
    result_message: result.resultMessage,
    webhook_body: webhookBody(recorded),
    event_type: PAYMENT_STATUS_CHANGED,
    traceparent: message.traceparent ?? null,
  };
  try {
    if (await deps.writes.record(change)) {
      deps.events.paymentRecorded(recorded, cause);
      return { outcome: "done", result: paymentRecord(recorded) };
    }
    // Our lease ran out and somebody else settled the payment: theirs is the truth.
    return (await currentState(deps, message)) ?? { outcome: "pending", result: paymentRecord(payment) };
  } catch (error) {
    deps.events.writeFailed("record", payment, error);
    return { outcome: "pending", result: paymentRecord(payment) };
  }
}

/**
 * The gateway sent the message again because it lost the connection. The first one may still be at work: wait for its
 * end, as the caller would have.
 */
async function answerCopy(
  deps: PreAuthorizeDeps,
  message: Incoming<PreAuthorizePayment>,
): Promise<CommandReply<ApiPaymentResponse>> {
  for (;;) {
    const reply = await currentState(deps, message);
    if (!reply) return { outcome: "problem", code: "payment_not_found" };
    if (reply.outcome !== "pending" || deps.now() + COPY_POLL_MS > message.context.deadlineAt) return reply;
    await new Promise((resolve) => setTimeout(resolve, COPY_POLL_MS));
  }
}

const COPY_POLL_MS = 200;

async function currentState(
  { db }: PreAuthorizeDeps,
  { context, payload }: Incoming<PreAuthorizePayment>,
): Promise<CommandReply<ApiPaymentResponse> | undefined> {
  const payment = await findPayment(db, context.merchant.merchantId, payload.paymentId);
  if (!payment) return undefined;
  const record = paymentRecord(payment);
  return { outcome: record.status === "ENROLLED" ? "pending" : "done", result: record };
}
