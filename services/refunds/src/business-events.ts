import { annotate, meterOf, seriesOf, startAtZero, UNKNOWN_OUTCOME } from "@holdfast/telemetry";
import type { Logger } from "@holdfast/service-runtime";
import type { RefundRow } from "./refund/refund-record.ts";

/** One function for each kind of business event: it writes the log line and the metric. */
export type BusinessEvents = {
  /** Reserved and queued for approval. */
  requested(refund: RefundRow): void;
  /** A request was rolled back before it was shown; nothing is reserved for it. */
  undone(refund: RefundRow, cause: string): void;
  /** An operator has approved or rejected; `state` shows whether that was enough. */
  decided(refund: RefundRow, decision: { actor: string; outcome: "approved" | "rejected" }): void;
  /** SUCCESS, FAILED or REJECTED. */
  ended(refund: RefundRow): void;
  /** The bank, or `payments`, gave no answer; it is tried again. */
  waiting(refund: RefundRow, attempt: { cause: string; ageMs: number; attempts: number }): void;
  /** An attempt threw, and counts as one without an answer. */
  attemptFailed(refund: RefundRow, error: unknown): void;
  /** Another process had taken the refund over, so this one has written nothing. */
  lost(refund: RefundRow): void;
  queueMeasured(measure: QueueMeasure): void;
  /** A write of the money path failed; recovery or the merchant's repetition continues from what is committed. */
  writeFailed(
    operation: "claim" | "record" | "postpone",
    key: { refundId: string; merchantId: string },
    error: unknown,
  ): void;
};

type Waiting = { count: number; oldestSeconds: number };
/** Refunds that wait for an operator's decision, for the bank, and for `payments` to acknowledge their end. */
export type QueueMeasure = { approval: Waiting; bank: Waiting; day_end: Waiting; payments: Waiting };

// oxlint-disable-next-line max-lines-per-function -- one short helper after the other
export function createBusinessEvents(
  log: Logger,
  { undecidedOverdueAfterMs }: { undecidedOverdueAfterMs: number },
): BusinessEvents {
  const meter = meterOf("refunds");
  const requests = meter.createCounter("holdfast.refunds.requested", {
    description: "Refund requests that were queued for approval or rolled back, by cause",
  });
  const decisions = meter.createCounter("holdfast.refunds.decisions", {
    description: "Decisions of operators, by outcome",
  });
  const ends = meter.createCounter("holdfast.refunds", { description: "Refunds that ended, by status" });
  const unknown = meter.createCounter("holdfast.refunds.unknown", {
    description: "Attempts that brought no answer, by cause",
  });
  const oldest = meter.createGauge("holdfast.refunds.oldest.age", {
    description: "Age of the refund that has waited longest, by what it waits for",
    unit: "s",
  });
  const waiting = meter.createGauge("holdfast.refunds.waiting", {
    description: "Refunds that wait, by what for",
  });
  // Exported from the beginning, so that the first event is an increase.
  startAtZero(ends, ...seriesOf({ status: ["SUCCESS", "FAILED", "REJECTED"] }));
  startAtZero(decisions, ...seriesOf({ outcome: ["approved", "rejected"] }));
  return {
    requested(refund) {
      requests.add(1, { outcome: "queued" });
      log.info(identify(refund), "refund requested");
    },
    undone(refund, cause) {
      requests.add(1, { outcome: cause });
      log.warn(
        { ...identify(refund), reason: cause },
        "a refund request was rolled back before it was queued",
      );
    },
    decided(refund, { actor, outcome }) {
      decisions.add(1, { outcome });
      log.info({ ...identify(refund), actor, outcome }, "refund decided");
    },
    ended(refund) {
      ends.add(1, { status: refund.state });
      log.info({ ...identify(refund), resultCode: refund.result_code }, "refund ended");
    },
    waiting(refund, { cause, ageMs, attempts }) {
      annotate({ "holdfast.outcome": UNKNOWN_OUTCOME, "holdfast.attempt": attempts });
      unknown.add(1, { cause });
      // A refund that has failed six times needs an operator.
      const level = attempts >= 6 ? "error" : "warn";
      log[level](
        { ...identify(refund), reason: cause, ageMs, attempt: attempts },
        "a refund's outcome is still unknown",
      );
    },
    attemptFailed(refund, error) {
      log.error({ ...identify(refund), error }, "an attempt to carry out a refund failed");
    },
    lost(refund) {
      log.warn(identify(refund), "a refund was taken over by another process");
    },
    queueMeasured(measure) {
      for (const waits of ["approval", "bank", "day_end", "payments"] as const) {
        oldest.record(measure[waits].oldestSeconds, { waits });
        waiting.record(measure[waits].count, { waits });
      }
      const { count, oldestSeconds } = measure.approval;
      const ageMs = Math.round(oldestSeconds * 1_000);
      if (ageMs > undecidedOverdueAfterMs)
        log.error({ count, ageMs }, "refunds have waited too long for approval");
    },
    writeFailed(operation, { refundId, merchantId }, error) {
      log.error({ refundId, merchantId, operation, error }, "a write failed");
    },
  };
}

/** The fields of the log line, which the span of the unit of work gets, too. */
function identify({ refund_id, payment_id, merchant_id, state, kind }: RefundRow) {
  annotate({
    "holdfast.refund.id": refund_id,
    "holdfast.payment.id": payment_id,
    "holdfast.merchant.id": merchant_id,
    "holdfast.status": state,
  });
  return {
    refundId: refund_id,
    paymentId: payment_id,
    merchantId: merchant_id,
    status: state,
    operation: kind ?? undefined,
  };
}
