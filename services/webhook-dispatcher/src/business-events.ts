import { EVENT_SOURCES, WEBHOOK_ERRORS, type EventSource } from "@holdfast/contracts";
import {
  activeTraceparent,
  AGE_SECONDS,
  CALL_SECONDS,
  meterOf,
  seriesOf,
  startAtZero,
} from "@holdfast/telemetry";
import type { Logger } from "@holdfast/service-runtime";
import type { LeasedDelivery } from "./delivery/leased-delivery.ts";
import type { PostResult } from "./http-client/webhook-client.ts";
import type { Reaped } from "./delivery/reap-deliveries.ts";

/** The business events of the dispatcher, one function for each: it writes the log line and the metric. */
export type BusinessEvents = {
  accepted(batch: { events: number; lagMs: number }): void;
  /** Writes an attempt's only line, without its body and without secrets. */
  attempted(delivery: LeasedDelivery, result: PostResult, what: AttemptTiming): void;
  poisoned(reason: string): void;
  /** An event is older than those that are kept. It is confirmed to its owner and never sent. */
  expired(eventId: string, source: EventSource): void;
  /** While the database or the stream is down, nothing is accepted; the owners keep their events. */
  acceptFailed(error: unknown): void;
  /** Events were not confirmed to their owner, which publishes them again. */
  notConfirmed(count: number, reason: string): void;
  recordFailed(error: unknown): void;
  /** Due deliveries could not be claimed or released. */
  claimFailed(error: unknown): void;
  sendFailed(delivery: LeasedDelivery, error: unknown): void;
  reaped(reaped: Reaped): void;
  /** Endpoints have failed for so long that their merchants' other endpoints get a warning. */
  warned(endpoints: number): void;
  handshake(): void;
  /** Receivers would refuse every signature, so nothing is sent. */
  tooSkewedToSend(skewMs: number): void;
  defaultPartitionUsed(rows: number): void;
  /** Deliveries have lost their event and cannot be sent. */
  orphansEnded(count: number): void;
  measured(state: DispatcherState): void;
};

/**
 * The times from an attempt's due time, and from its event, to its beginning; and whether it is the last one.
 */
export type AttemptTiming = { lateMs: number; sinceEventMs: number; ends: boolean };

export type DispatcherState = {
  /** The delay of the dispatcher itself: at endpoints whose breakers are closed. */
  oldestDueAgeMs: number;
  /**
   * The delay at endpoints whose breakers are open: these wait for the merchant, and no replica more would help them.
   */
  oldestDueBehindBreakerMs: number;
  pending: number;
  inFlight: number;
  breakersOpen: number;
  /** Endpoints that are on and whose latest attempts failed, over all dispatchers. */
  endpointsFailing: number;
  /** The longest present outage of an endpoint; 0 if none fails. */
  longestFailingMs: number;
};

export function createBusinessEvents(log: Logger): BusinessEvents {
  const meters = createMeters();
  return {
    accepted({ events, lagMs }) {
      meters.accepted.add(events);
      meters.acceptLag.record(lagMs / 1_000);
    },
    attempted(delivery, result, what) {
      const outcome = result.error ?? "delivered";
      meters.attempts.add(1, { outcome, trigger: delivery.trigger });
      meters.attemptDuration.record(result.durationMs / 1_000, { outcome });
      if (delivery.trigger === "schedule" && delivery.attempt === 1)
        meters.firstAttemptDelay.record(Math.max(0, what.sinceEventMs) / 1_000, { outcome });
      if (result.error === "secret_unreadable") meters.secretUnreadable.add(1);
      logAttempt(log, delivery, result, what);
    },
    poisoned(reason) {
      meters.poisoned.add(1);
      log.error({ reason }, "a message in the event stream is not an event; it is kept in the poison table");
    },
    expired(eventId, source) {
      meters.expired.add(1, { source });
      log.error({ eventId }, "an event is older than those that are kept, and is not sent");
    },
    acceptFailed: (error) => log.warn({ operation: "accept", error }, "events could not be accepted"),
    notConfirmed: (count, reason) =>
      log.warn({ operation: "confirm", count, reason }, "events were not confirmed"),
    claimFailed: (error) =>
      log.warn({ operation: "claim", error }, "deliveries could not be claimed or released"),
    recordFailed: (error) =>
      log.warn({ operation: "record", error }, "results could not be recorded; trying again"),
    sendFailed: (delivery, error) =>
      log.error({ ...identify(delivery), error }, "an attempt could not be made"),
    reaped(reaped) {
      if (reaped.expiredLeases > 0) meters.expiredLeases.add(reaped.expiredLeases);
      logReaped(log, reaped);
    },
    warned: (count) => log.warn({ count }, "endpoints have failed for long; their merchants get a warning"),
    handshake: () => meters.handshakes.add(1),
    tooSkewedToSend(skewMs) {
      log.error({ skewMs }, "this machine's clock is too far off to sign; nothing is sent");
    },
    defaultPartitionUsed(rows) {
      log.error({ count: rows }, "rows are in a default partition, since their day has no partition");
    },
    orphansEnded: (count) => log.error({ count }, "deliveries had lost their event and were ended"),
    measured(state) {
      meters.oldestDueAge.record(state.oldestDueAgeMs / 1_000);
      meters.oldestBehindBreaker.record(state.oldestDueBehindBreakerMs / 1_000);
      meters.pending.record(state.pending);
      meters.inFlight.record(state.inFlight);
      meters.breakersOpen.record(state.breakersOpen);
      meters.endpointsFailing.record(state.endpointsFailing);
      meters.longestFailing.record(state.longestFailingMs / 1_000);
    },
  };
}

function logAttempt(
  log: Logger,
  delivery: LeasedDelivery,
  { error, statusCode, durationMs }: PostResult,
  { lateMs, ends }: AttemptTiming,
): void {
  const needsSomebody = ends || error === "secret_unreadable";
  log[error === undefined ? "info" : needsSomebody ? "error" : "warn"](
    {
      ...identify(delivery),
      outcome: error ?? "delivered",
      statusCode,
      durationMs,
      lagMs: Math.round(lateMs),
      ...(activeTraceparent() === undefined && { trace_id: delivery.traceparent?.split("-")[1] }),
    },
    ends && error !== undefined ? "webhook failed for good" : "webhook attempt",
  );
}

function logReaped(log: Logger, { expiredLeases, failed, cancelled }: Reaped): void {
  if (expiredLeases > 0) log.warn({ count: expiredLeases }, "leases expired; their attempts are repeated");
  if (failed > 0) log.error({ count: failed }, "deliveries reached the end of their window");
  if (cancelled > 0)
    log.info({ count: cancelled }, "deliveries were cancelled, since their endpoint is off or removed");
}

function identify({ eventId, merchantId, paymentId, attempt, trigger }: LeasedDelivery) {
  return { eventId, merchantId, paymentId, trigger, attempt: trigger === "schedule" ? attempt : undefined };
}

// oxlint-disable-next-line max-lines-per-function -- one meter after the other
function createMeters() {
  const meter = meterOf("webhook-dispatcher");
  const seconds = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries } });
  const meters = {
    accepted: meter.createCounter("holdfast.webhooks.accepted", { description: "Events accepted" }),
    acceptLag: seconds(
      "holdfast.webhooks.accept.lag",
      "From the event to its acceptance, the oldest of a batch",
      AGE_SECONDS,
    ),
    attempts: meter.createCounter("holdfast.webhooks.attempts", {
      description: "Attempts by outcome and trigger",
    }),
    secretUnreadable: meter.createCounter("holdfast.webhooks.secret_unreadable", {
      description: "Attempts that were not sent, since no key opens their endpoint's secret",
    }),
    attemptDuration: seconds(
      "holdfast.webhooks.attempt.duration",
      "How long attempts take, by outcome",
      CALL_SECONDS,
    ),
    firstAttemptDelay: seconds(
      "holdfast.webhooks.first_attempt.delay",
      "From an event to the first attempt to deliver it, by outcome",
      AGE_SECONDS,
    ),
    poisoned: meter.createCounter("holdfast.webhooks.poison", {
      description: "Messages that were not events",
    }),
    expired: meter.createCounter("holdfast.webhooks.expired", {
      description: "Events that were not sent, since they are older than those that are kept",
    }),
    expiredLeases: meter.createCounter("holdfast.webhooks.expired_leases", {
      description: "Leases whose holder vanished",
    }),
    handshakes: meter.createCounter("holdfast.webhooks.handshakes", { description: "TLS handshakes begun" }),
    oldestDueAge: meter.createGauge("holdfast.webhooks.oldest_due.age", {
      description:
        "How long the oldest delivery that waits has been due, where the endpoint's breaker is closed",
      unit: "s",
    }),
    oldestBehindBreaker: meter.createGauge("holdfast.webhooks.oldest_due_behind_breaker.age", {
      description: "How long the oldest delivery to an endpoint with an open breaker has been due",
      unit: "s",
    }),
    pending: meter.createGauge("holdfast.webhooks.pending", {
      description: "Deliveries not resolved, about",
    }),
    inFlight: meter.createGauge("holdfast.webhooks.in_flight", { description: "Requests in flight" }),
    breakersOpen: meter.createGauge("holdfast.webhooks.breakers_open", {
      description: "Endpoints with an open breaker",
    }),
    // No label names an endpoint: there are as many as merchants like. GET …/webhooks names them.
    endpointsFailing: meter.createGauge("holdfast.webhooks.endpoints_failing", {
      description: "Endpoints whose latest attempts failed",
    }),
    longestFailing: meter.createGauge("holdfast.webhooks.longest_failing.age", {
      description: "For how long the endpoint that fails longest has failed",
      unit: "s",
    }),
  };
  // Exported from the beginning, so that the first event is an increase.
  startAtZero(meters.poisoned, {});
  startAtZero(meters.secretUnreadable, {});
  startAtZero(meters.expiredLeases, {});
  startAtZero(meters.expired, ...seriesOf({ source: EVENT_SOURCES }));
  const outcome = ["delivered", ...WEBHOOK_ERRORS];
  startAtZero(meters.attempts, ...seriesOf({ outcome, trigger: ["schedule", "manual"] }));
  return meters;
}
