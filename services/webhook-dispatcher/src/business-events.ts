import { activeTraceparent, metrics } from "@holdfast/telemetry";
import type { Logger } from "@holdfast/service-runtime";
import type { LeasedDelivery } from "./delivery/leased-delivery.ts";
import type { PostResult } from "./http-client/webhook-client.ts";
import type { Reaped } from "./delivery/reap-deliveries.ts";

/** What happens in the dispatcher, one helper for each kind: its log line and its metric are written here. */
export type BusinessEvents = {
  accepted(batch: { events: number; lagMs: number }): void;
  /** The one line of an attempt; never its body, never a secret. */
  attempted(delivery: LeasedDelivery, result: PostResult, what: { lateMs: number; ends: boolean }): void;
  poisoned(reason: string): void;
  /** Nothing is taken over while the database or the stream is away; owners keep what they have. */
  acceptFailed(error: unknown): void;
  /** Not confirmed to their owner; they come again. */
  notConfirmed(count: number, reason: string): void;
  recordFailed(error: unknown): void;
  /** Due deliveries could not be claimed, or given back. */
  claimFailed(error: unknown): void;
  sendFailed(delivery: LeasedDelivery, error: unknown): void;
  reaped(reaped: Reaped): void;
  handshake(): void;
  skewed(skewMs: number, stopped: boolean): void;
  defaultPartitionUsed(rows: number): void;
  measured(state: DispatcherState): void;
};

export type DispatcherState = {
  oldestDueAgeMs: number;
  pending: number;
  inFlight: number;
  breakersOpen: number;
  skewMs: number;
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
      log.error({ reason }, "a message of the event stream is no event; it is kept as poison");
    },
    acceptFailed: (error) => log.warn({ operation: "accept", error }, "events cannot be taken over"),
    notConfirmed: (count, reason) =>
      log.warn({ operation: "confirm", count, reason }, "events were not confirmed"),
    claimFailed: (error) => log.warn({ operation: "claim", error }, "deliveries cannot be claimed"),
    recordFailed: (error) =>
      log.warn({ operation: "record", error }, "results cannot be recorded; trying again"),
    sendFailed: (delivery, error) =>
      log.error({ ...identify(delivery), error }, "an attempt could not be made"),
    reaped(reaped) {
      if (reaped.expiredLeases > 0) meters.expiredLeases.add(reaped.expiredLeases);
      logReaped(log, reaped);
    },
    handshake: () => meters.handshakes.add(1),
    skewed(skewMs, stopped) {
      log.error(
        { skewMs },
        stopped ? "this clock is too wrong to sign; nothing is sent" : "this clock is wrong",
      );
    },
    defaultPartitionUsed(rows) {
      log.error({ count: rows }, "rows lie in a default partition: their time has no partition of its own");
    },
    measured(state) {
      meters.oldestDueAge.record(state.oldestDueAgeMs / 1_000);
      meters.pending.record(state.pending);
      meters.inFlight.record(state.inFlight);
      meters.breakersOpen.record(state.breakersOpen);
      meters.skew.record(state.skewMs / 1_000);
    },
  };
}

function logReaped(log: Logger, { expiredLeases, failed, cancelled }: Reaped): void {
  if (expiredLeases > 0) log.warn({ count: expiredLeases }, "leases expired; their attempts are made again");
  if (failed > 0) log.error({ count: failed }, "deliveries reached the end of their window");
  if (cancelled > 0) log.info({ count: cancelled }, "deliveries were cancelled with their endpoint");
}

function identify({ eventId, merchantId, paymentId, attempt, trigger }: LeasedDelivery) {
  return { eventId, merchantId, paymentId, trigger, attempt: trigger === "schedule" ? attempt : undefined };
}

function createMeters() {
  const meter = metrics.getMeter("webhook-dispatcher");
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: "s" });
  return {
    accepted: meter.createCounter("holdfast.webhooks.accepted", { description: "Events taken over" }),
    acceptLag: seconds(
      "holdfast.webhooks.accept.lag",
      "From the event to its acceptance, the oldest of a batch",
    ),
    attempts: meter.createCounter("holdfast.webhooks.attempts", {
      description: "Attempts by outcome and trigger",
    }),
    attemptDuration: seconds("holdfast.webhooks.attempt.duration", "How long attempts take, by outcome"),
    poisoned: meter.createCounter("holdfast.webhooks.poison", {
      description: "Messages that were no events",
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
    inFlight: meter.createGauge("holdfast.webhooks.in_flight", { description: "Requests under way" }),
    breakersOpen: meter.createGauge("holdfast.webhooks.breakers_open", {
      description: "Endpoints with an open breaker",
    }),
    skew: meter.createGauge("holdfast.webhooks.clock_skew", {
      description: "Database's clock ahead of ours",
      unit: "s",
    }),
  };
}
