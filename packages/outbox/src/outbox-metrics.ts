import type { EventSource } from "@holdfast/contracts";
import { meterOf, startAtZero } from "@holdfast/telemetry";

export type OutboxMetrics = {
  published(count: number): void;
  republished(count: number): void;
  failed(count: number): void;
  /** Confirmed events that the dispatcher did not have. Must stay 0. */
  missing(count: number): void;
  backlog(measured: { unconfirmed: number; oldestAgeMs: number }): void;
};

export function createOutboxMetrics(source: EventSource): OutboxMetrics {
  const meter = meterOf("outbox");
  const published = meter.createCounter("holdfast.outbox.published", {
    description: "Events that the stream has acknowledged",
  });
  const republished = meter.createCounter("holdfast.outbox.republished", {
    description: "Events published again because they were not confirmed in time",
  });
  const failed = meter.createCounter("holdfast.outbox.publish_failures", {
    description: "Events that the stream has not acknowledged",
  });
  const missing = meter.createCounter("holdfast.outbox.missing", {
    description: "Confirmed events that the dispatcher did not have; must stay 0",
  });
  const unconfirmed = meter.createGauge("holdfast.outbox.unconfirmed", {
    description: "Events not confirmed yet",
  });
  const oldestAge = meter.createGauge("holdfast.outbox.oldest_unconfirmed.age", {
    description: "Age of the oldest event that is not confirmed",
    unit: "s",
  });
  for (const counter of [published, republished, failed, missing]) startAtZero(counter, { source });
  return {
    published: (count) => published.add(count, { source }),
    republished: (count) => republished.add(count, { source }),
    failed: (count) => failed.add(count, { source }),
    missing: (count) => missing.add(count, { source }),
    backlog(measured) {
      unconfirmed.record(measured.unconfirmed, { source });
      oldestAge.record(measured.oldestAgeMs / 1_000, { source });
    },
  };
}
