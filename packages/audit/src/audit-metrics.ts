import { meterOf } from "@holdfast/telemetry";

export type AuditMetrics = {
  delivered(): void;
  notDelivered(): void;
  /** The chain no longer contains a head that this process has seen. */
  rewritten(): void;
};

/** @param source the schema that the chain is in. */
export function createAuditMetrics(source: string): AuditMetrics {
  const meter = meterOf("audit");
  const delivered = meter.createCounter("holdfast.audit.anchors", {
    description: "Heads of the audit log that the sink has taken",
  });
  const notDelivered = meter.createCounter("holdfast.audit.anchor_failures", {
    description: "Attempts to deliver a head of the audit log to the sink that failed",
  });
  const rewritten = meter.createCounter("holdfast.audit.rewritten", {
    description: "Times that a head which a process had seen was no longer in the audit log; must stay 0",
  });
  // Exported from the beginning, so that the first event is an increase.
  for (const counter of [delivered, notDelivered, rewritten]) counter.add(0, { source });
  return {
    delivered: () => delivered.add(1, { source }),
    notDelivered: () => notDelivered.add(1, { source }),
    rewritten: () => rewritten.add(1, { source }),
  };
}
