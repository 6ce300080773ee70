import type { SpanAttributes } from "@holdfast/telemetry";

/**
 * The attributes that the semantic conventions for messaging require of every span; `type` is one of their
 * values, and `name` is the bus's own.
 */
export function messagingAttributes(
  destination: string,
  type: "send" | "process",
  name: string = type,
): SpanAttributes {
  return {
    "messaging.system": "nats",
    "messaging.destination.name": destination,
    "messaging.operation.type": type,
    "messaging.operation.name": name,
  };
}
