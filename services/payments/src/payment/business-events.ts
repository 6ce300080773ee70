/* oxlint-disable max-lines -- one list, an event after the other */
import { isLive, RESULT_CODES } from "@holdfast/contracts";
import {
  AGE_SECONDS,
  annotate,
  meterOf,
  seriesOf,
  SETTLED_OUTCOME,
  startAtZero,
  UNKNOWN_OUTCOME,
} from "@holdfast/telemetry";
import type { Logger } from "@holdfast/service-runtime";
import { IN_REVIEW } from "./authorization-outcome.ts";
import { merchantStatus } from "./payment.ts";
import type { ShownPayment } from "./payment-record.ts";

/** One function for each kind of business event: it writes the log line and the metric. */
export type BusinessEvents = {
  paymentRecorded(payment: ShownPayment, cause: string): void;
  /** A payment with 3-D Secure waits for its cardholder at the challenge. */
  challengeShown(payment: ShownPayment): void;
  /** The acquirer's challenge has the card in it: it is neither kept nor shown, and the enrolment is reversed. */
  challengeCarriesCard(payment: ShownPayment): void;
  /** A browser's return from a challenge does not prove that it comes from the acquirer. Nothing has changed. */
  returnNotGenuine(payment: ShownPayment, why: string): void;
  /** The acquirer's answer is not known; `cause` says why. */
  outcomeUnknown(payment: ShownPayment, cause: string): void;
  /** Recovery has asked and the outcome is still unknown. */
  stillUnknown(payment: ShownPayment, attempt: RecoveryAttempt): void;
  /** The bank has refused to reverse a payment, or to refund a settled one: it keeps the money. */
  reversalRefused(payment: ShownPayment, refusal: { kind: string; resultCode: string }): void;
  /** The bank shows money of a payment that had ended because the bank had not seen it. It is given back. */
  lateMoneySeen(payment: ShownPayment): void;
  /**
   * The bank shows a capture, a cancellation or a refund that had ended as not done. Nothing follows
   * automatically.
   */
  lateMovementSeen(payment: ShownPayment, movement: { kind: string; reference: string }): void;
  /** An authorization was due to expire, but the bank shows a capture that is not ours. */
  capturedUnasked(payment: ShownPayment): void;
  /** Late money could not be given back yet. */
  lateMoneyStands(payment: ShownPayment, attempt: Omit<RecoveryAttempt, "ageMs">): void;
  /** An attempt of recovery threw an error; the next attempt is later. */
  recoveryFailed(payment: Pick<PaymentKey, "payment_id">, error: unknown): void;
  /** Recovery has concluded what was unknown. */
  unknownConcluded(payment: ShownPayment, attempt: RecoveryAttempt): void;
  /** A capture, cancellation or expiry has ended, or another process has ended it (`lost`). */
  operationEnded(payment: ShownPayment, kind: string, end: string): void;
  /** The acquirer's answer to a capture, cancellation or expiry is not known. */
  operationUnknown(payment: ShownPayment, kind: string, attempt: RecoveryAttempt): void;
  unresolvedMeasured(measure: UnresolvedMeasure): void;
  /** A checkout was completed, expired or was cancelled. Its id is not logged, since it is enough to pay. */
  checkoutClosed(checkout: ClosedCheckout): void;
  /** The sealed card could not be opened: the key rings differ, or the message was tampered with on the bus. */
  cardNotOpened(payment: PaymentKey, error: unknown): void;
  /** An inquiry has found the payment approved in another amount or currency than was asked for. */
  answerMismatched(payment: PaymentKey): void;
  /**
   * The bank keeps an authorization: one whose capture was voided by a refund or a cancel, or one that has
   * expired. An expired one lapses by itself, and nothing is left to do.
   */
  holdStands(payment: PaymentKey, of: "voided_capture" | "expired"): void;
  /**
   * `refunds` has asked for money without enough people's consent; nothing is sent. Once an hour for each
   * refund.
   */
  refundNotAgreed(payment: PaymentKey): void;
  /** A merchant has put the number of a buyer's card into a checkout; it stays there until the checkout is deleted. */
  cardInCheckout(payment: PaymentKey, fields: readonly string[]): void;
  /** A write of the money path failed; recovery or the merchant's repetition continues from what is committed. */
  writeFailed(
    operation: "ask_rules" | "reject" | "claim" | "move" | "record" | "postpone",
    payment: PaymentKey,
    error: unknown,
  ): void;
};

type Waiting = { count: number; oldestSeconds: number };
/** Unknown outcomes of authorizations, and of captures, cancellations and expiries. */
export type UnresolvedMeasure = { payment: Waiting; operation: Waiting };

/** `ageMs` since the claim. */
export type RecoveryAttempt = { cause: string; ageMs: number; attempts: number };

type ClosedCheckout = { merchant_id: string; payment_id: string | null; state: string };

type PaymentKey = { payment_id: string; merchant_id: string };

// oxlint-disable-next-line max-lines-per-function -- one short helper after the other
export function createBusinessEvents(log: Logger): BusinessEvents {
  const meter = meterOf("payments");
  const recorded = meter.createCounter("holdfast.payments", {
    description: "Payments that reached a status, by operation, status and the reason where it is ours",
  });
  const unknown = meter.createCounter("holdfast.payments.unknown", {
    description: "Payments whose outcome at the acquirer was unknown, by cause",
  });
  const operations = meter.createCounter("holdfast.payments.operations", {
    description: "Captures, cancellations and expiries, by how they ended",
  });
  const refusals = meter.createCounter("holdfast.payments.reversals.refused", {
    description: "Reversals that the bank refused, by kind of refusal",
  });
  const checkouts = meter.createCounter("holdfast.checkouts", {
    description: "Checkouts that were closed, by how",
  });
  const challenges = meter.createCounter("holdfast.payments.challenges", {
    description: "Payments whose cardholder was sent to a 3-D Secure challenge",
  });
  const withCard = meter.createCounter("holdfast.payments.challenges_with_card", {
    description: "3-D Secure challenges that had the card in them and were not shown; must stay 0",
  });
  const returns = meter.createCounter("holdfast.payments.returns_not_genuine", {
    description: "Returns from 3-D Secure challenges that proved nothing, by what was wrong with them",
  });
  const settled = meter.createHistogram("holdfast.payments.unknown.age", {
    description: "Age at which unknown outcomes were settled, by status and cause",
    unit: "s",
    advice: { explicitBucketBoundaries: AGE_SECONDS },
  });
  const open = meter.createGauge("holdfast.payments.unknown.open", {
    description: "Outcomes that are unknown now",
  });
  const stuckReversals = meter.createCounter("holdfast.payments.reversals.stuck", {
    description:
      "Attempts at reversals that the acquirer refused, or left without an answer six times or more",
  });
  const notOpened = meter.createCounter("holdfast.payments.cards_not_opened", {
    description: "Sealed cards that could not be opened; must stay 0",
  });
  const mismatches = meter.createCounter("holdfast.payments.mismatches", {
    description: "Payments that the bank, asked later, had approved in another amount or currency",
  });
  const notAgreed = meter.createCounter("holdfast.payments.refunds_not_agreed", {
    description: "Refunds that were to be sent without enough people's consent, and were not; must stay 0",
  });
  const lateMoney = meter.createCounter("holdfast.payments.seen_late", {
    description:
      "Payments, captures, cancellations and refunds that the bank carried out after they had ended as not done",
  });
  // Exported from the beginning, so that the first event is an increase.
  for (const counter of [stuckReversals, notOpened, mismatches, notAgreed, lateMoney, withCard])
    startAtZero(counter, {});
  startAtZero(recorded, ...FIRST_SERIES.recorded);
  startAtZero(unknown, ...FIRST_SERIES.unknown);
  startAtZero(returns, ...FIRST_SERIES.returns);
  const oldest = meter.createGauge("holdfast.payments.unknown.oldest.age", {
    description: "Age of the oldest unknown outcome",
    unit: "s",
  });
  return {
    paymentRecorded(payment, cause) {
      recorded.add(oneIfLive(payment), recordedLabels(payment));
      // The bank was not reached: nobody has done anything wrong, and no payment succeeds while it lasts.
      const level = payment.result_code === "acquirer_unavailable" ? "warn" : "info";
      log[level](
        { ...identify(payment), reason: cause, resultCode: payment.result_code },
        "payment recorded",
      );
    },
    challengeShown(payment) {
      challenges.add(oneIfLive(payment), { operation: payment.transaction_type });
      log.info(identify(payment), "a 3-D Secure challenge is required");
    },
    challengeCarriesCard(payment) {
      withCard.add(1);
      log.error(identify(payment), "a 3-D Secure challenge has the card in it and is not shown");
    },
    returnNotGenuine(payment, why) {
      returns.add(1, { why });
      log.warn({ ...identify(payment), reason: why }, "a return from a 3-D Secure challenge proves nothing");
    },
    outcomeUnknown(payment, cause) {
      unknown.add(oneIfLive(payment), { operation: payment.transaction_type, cause });
      log.warn({ ...identify(payment), reason: cause }, "the outcome at the acquirer is unknown");
    },
    stillUnknown(payment, { cause, ageMs, attempts }) {
      annotate({ "holdfast.outcome": UNKNOWN_OUTCOME, "holdfast.attempt": attempts });
      // A reversal that was refused or has failed six times needs an operator; a review takes the bank's time.
      const level = attempts >= 6 && cause !== IN_REVIEW ? "error" : "warn";
      const isReversal = payment.state === "REVERSING" || payment.state === "CANCELLING";
      if (isReversal && isStuck(cause, attempts)) stuckReversals.add(1);
      log[level](
        { ...identify(payment), reason: cause, ageMs, attempt: attempts },
        "the outcome is still unknown",
      );
    },
    reversalRefused(payment, { kind, resultCode }) {
      refusals.add(1, { kind });
      log.error({ ...identify(payment), reason: kind, resultCode }, "the bank refuses to reverse a payment");
    },
    lateMoneySeen(payment) {
      lateMoney.add(1);
      log.error(identify(payment), "the bank has carried out a payment that had ended as never seen");
    },
    lateMovementSeen(payment, { kind, reference }) {
      lateMoney.add(1);
      log.error(
        { ...identify(payment), operation: kind, reason: reference },
        "the bank has carried out what had ended as not done",
      );
    },
    capturedUnasked(payment) {
      mismatches.add(1);
      log.error(identify(payment), "the bank has captured a payment that is only authorized here");
    },
    lateMoneyStands(payment, { cause, attempts }) {
      if (isStuck(cause, attempts)) stuckReversals.add(1);
      log.error(
        { ...identify(payment), reason: cause, attempt: attempts },
        "what the bank has taken late is not given back yet",
      );
    },
    unknownConcluded(payment, { cause, ageMs, attempts }) {
      annotate({ "holdfast.outcome": SETTLED_OUTCOME, "holdfast.attempt": attempts });
      if (oneIfLive(payment) === 1) settled.record(ageMs / 1_000, { status: payment.state, cause });
      recorded.add(oneIfLive(payment), recordedLabels(payment));
      log.info(
        { ...identify(payment), reason: cause, ageMs, attempt: attempts },
        "an unknown outcome was settled",
      );
    },
    operationEnded(payment, kind, end) {
      operations.add(oneIfLive(payment), { operation: kind, end });
      log.info({ ...identify(payment), operation: kind, outcome: end }, "operation ended");
    },
    operationUnknown(payment, kind, { cause, ageMs, attempts }) {
      annotate({ "holdfast.outcome": UNKNOWN_OUTCOME, "holdfast.attempt": attempts });
      unknown.add(oneIfLive(payment), { operation: kind, cause });
      const level = attempts >= 6 ? "error" : "warn";
      log[level](
        { ...identify(payment), operation: kind, reason: cause, ageMs, attempt: attempts },
        "an operation's outcome is unknown",
      );
    },
    unresolvedMeasured(measure) {
      for (const what of ["payment", "operation"] as const) {
        open.record(measure[what].count, { what });
        oldest.record(measure[what].oldestSeconds, { what });
      }
    },
    checkoutClosed({ merchant_id, payment_id, state }) {
      checkouts.add(1, { status: state });
      log.info(
        { merchantId: merchant_id, ...(payment_id !== null && { paymentId: payment_id }), status: state },
        "checkout closed",
      );
    },
    answerMismatched({ payment_id, merchant_id }) {
      mismatches.add(1);
      log.error(
        { paymentId: payment_id, merchantId: merchant_id },
        "the bank has approved another amount or currency, or under a name that is another movement's",
      );
    },
    holdStands({ payment_id, merchant_id }, of) {
      const payment = { paymentId: payment_id, merchantId: merchant_id };
      if (of === "expired") {
        log.warn(payment, "the bank lets the hold of an expired authorization lapse by itself");
        return;
      }
      mismatches.add(1);
      log.error(payment, "the bank does not release the hold of a capture that was voided");
    },
    refundNotAgreed({ payment_id, merchant_id }) {
      notAgreed.add(1);
      log.error(
        { paymentId: payment_id, merchantId: merchant_id },
        "a refund was to be sent to the bank without the consent of enough people",
      );
    },
    cardNotOpened({ payment_id, merchant_id }, error) {
      notOpened.add(1);
      log.error(
        { paymentId: payment_id, merchantId: merchant_id, error },
        "a sealed card could not be opened",
      );
    },
    cardInCheckout({ payment_id, merchant_id }, fields) {
      log.warn(
        { paymentId: payment_id, merchantId: merchant_id, reason: fields.join(", ") },
        "a checkout has the number of the card that was to pay it",
      );
    },
    recoveryFailed({ payment_id }, error) {
      log.error({ paymentId: payment_id, error }, "a recovery attempt failed");
    },
    writeFailed(operation, { payment_id, merchant_id }, error) {
      log.error({ paymentId: payment_id, merchantId: merchant_id, operation, error }, "a write failed");
    },
  };
}

/** The bank refuses to reverse, or to refund what it has settled. */
const REFUSED: ReadonlySet<string> = new Set(["reversal_refused", "refund_declined"]);

/** True if giving money back needs an operator: the bank has refused it, or it has failed six times. */
function isStuck(cause: string, attempts: number): boolean {
  return REFUSED.has(cause) || attempts >= 6;
}

/**
 * Labels of `holdfast.payments`. The reason is one of our own result codes, `none` for a success, and `bank`
 * for all bank codes, which are too many for a label.
 */
function recordedLabels({ transaction_type, state, result_code }: ShownPayment) {
  const isOurs = result_code !== null && Object.hasOwn(RESULT_CODES, result_code);
  const reason = isOurs ? result_code : state === "SUCCESS" ? "none" : "bank";
  return { operation: transaction_type, status: state, reason };
}

const OPERATIONS = ["PAYMENT", "PRE_AUTHORIZATION"];
/** Series that alerts count, exported from the beginning, so that the first one of each is an increase. */
const FIRST_SERIES = {
  recorded: [
    ...seriesOf({ operation: OPERATIONS, status: ["SUCCESS"], reason: ["none"] }),
    ...seriesOf({ operation: OPERATIONS, status: ["FAILED"], reason: ["bank", "acquirer_unavailable"] }),
  ],
  unknown: seriesOf({ operation: OPERATIONS, cause: ["timeout", "connection_lost", "invalid_answer"] }),
  returns: seriesOf({ why: ["signature", "no_signature", "other_order", "other_amount", "other_account"] }),
};

/** Metrics are of live mode: nobody is to be woken by a merchant's tests. */
function oneIfLive({ merchant_id }: Pick<ShownPayment, "merchant_id">): 0 | 1 {
  return isLive(merchant_id) ? 1 : 0;
}

/** The fields of the log line, which the span of the unit of work gets, too. */
function identify({ payment_id, merchant_id, state, transaction_type }: ShownPayment) {
  annotate({
    "holdfast.payment.id": payment_id,
    "holdfast.merchant.id": merchant_id,
    "holdfast.status": merchantStatus(state),
    "holdfast.operation": transaction_type,
  });
  return {
    paymentId: payment_id,
    merchantId: merchant_id,
    status: merchantStatus(state),
    operation: transaction_type,
  };
}
