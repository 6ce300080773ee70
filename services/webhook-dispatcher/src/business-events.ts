import { activeTraceparent, metrics } from "@holdfast/telemetry";
import type { Logger } from "@holdfast/service-runtime";
import type { LeasedDelivery } from "./delivery/leased-delivery.ts";
import type { PostResult } from "./http-client/webhook-client.ts";
import type { Reaped } from "./delivery/reap-deliveries.ts";

/** The business events of the dispatcher, one function for each: it writes the log line and the metric. */
export type BusinessEvents = {
  accepted(batch: { events: number; lagMs: number }): void;
  /** Writes an attempt's only line, without its body and without secrets. */
  attempted(delivery: LeasedDelivery, result: PostResult, what: { lateMs: number; ends: boolean }): void;
  poisoned(reason: string): void;
  /** While the database or the stream is down, nothing is accepted; the owners keep their events. */
  acceptFailed(error: unknown): void;
  /** Events were not confirmed to their owner, which publishes them again. */
  notConfirmed(count: number, reason: string): void;
  recordFailed(error: unknown): void;
  /** Due deliveries could not be claimed or released. */
  claimFailed(error: unknown): void;
  sendFailed(delivery: LeasedDelivery, error: unknown): void;
  reaped(reaped: Reaped): void;
  handshake(): void;
  /** Receivers would refuse every signature, so nothing is sent. */
  tooSkewedToSend(skewMs: number): void;
  defaultPartitionUsed(rows: number): void;
  measured(state: DispatcherState): void;
};

export type DispatcherState = {
  oldestDueAgeMs: number;
  pending: number;
  inFlight: number;
  breakersOpen: number;
};

export function createBusinessEvents(log: Logger): BusinessEvents {
  const meters = createMeters();
  return {
    accepted({ events, lagMs }) {
      meters.accepted.add(events);
      meters.acceptLag.record(lagMs / 1_000);
    },
    attempted(delivery, result, { lateMs, ends }) {
      const outcome = result.error ?? "delivered";
      meters.attempts.add(1, { outcome, trigger: delivery.trigger });
      meters.attemptDuration.record(result.durationMs / 1_000, { outcome });
      const level = result.error === undefined ? "info" : ends ? "error" : "warn";
      log[level](
        {
          ...identify(delivery),
          outcome,
          statusCode: result.statusCode,
          durationMs: result.durationMs,
          lagMs: Math.round(lateMs),
          ...(activeTraceparent() === undefined && { trace_id: delivery.traceparent?.split("-")[1] }),
        },
        ends && result.error !== undefined ? "webhook failed for good" : "webhook attempt",
      );
    },
    poisoned(reason) {
      meters.poisoned.add(1);
      log.error({ reason }, "a message in the event stream is not an event; it is kept in the poison table");
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
    handshake: () => meters.handshakes.add(1),
    tooSkewedToSend(skewMs) {
      log.error({ skewMs }, "this machine's clock is too far off to sign; nothing is sent");
    },
    defaultPartitionUsed(rows) {
      log.error({ count: rows }, "rows are in a default partition, since their day has no partition");
    },
    measured(state) {
      meters.oldestDueAge.record(state.oldestDueAgeMs / 1_000);
      meters.pending.record(state.pending);
      meters.inFlight.record(state.inFlight);
      meters.breakersOpen.record(state.breakersOpen);
    },
  };
}

function logReaped(log: Logger, { expiredLeases, failed, cancelled }: Reaped): void {
  if (expiredLeases > 0) log.warn({ count: expiredLeases }, "leases expired; their attempts are repeated");
  if (failed > 0) log.error({ count: failed }, "deliveries reached the end of their window");
  if (cancelled > 0)
    log.info({ count: cancelled }, "deliveries were cancelled, since their endpoint was turned off");
}

function identify({ eventId, merchantId, paymentId, attempt, trigger }: LeasedDelivery) {
  return { eventId, merchantId, paymentId, trigger, attempt: trigger === "schedule" ? attempt : undefined };
}

function createMeters() {
  const meter = metrics.getMeter("webhook-dispatcher");
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: "s" });
  return {
    accepted: meter.createCounter("holdfast.webhooks.accepted", { description: "Events accepted" }),
    acceptLag: seconds(
      "holdfast.webhooks.accept.lag",
      "From the event to its acceptance, the oldest of a batch",
    ),
    attempts: meter.createCounter("holdfast.webhooks.attempts", {
      description: "Attempts by outcome and trigger",
    }),
    attemptDuration: seconds("holdfast.webhooks.attempt.duration", "How long attempts take, by outcome"),
    poisoned: meter.createCounter("holdfast.webhooks.poison", {
      description: "Messages that were not events",
    }),
    expiredLeases: meter.createCounter("holdfast.webhooks.expired_leases", {
      description: "Leases whose holder vanished",
    }),
    handshakes: meter.createCounter("holdfast.webhooks.handshakes", { description: "TLS handshakes begun" }),
    oldestDueAge: meter.createGauge("holdfast.webhooks.oldest_due.age", {
      description: "How long the oldest delivery that waits has been due",
      unit: "s",
    }),
    pending: meter.createGauge("holdfast.webhooks.pending", {
      description: "Deliveries not resolved, about",
    }),
    inFlight: meter.createGauge("holdfast.webhooks.in_flight", { description: "Requests in flight" }),
    breakersOpen: meter.createGauge("holdfast.webhooks.breakers_open", {
      description: "Endpoints with an open breaker",
    }),
  };
}
