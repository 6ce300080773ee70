import type { SpanAttributes } from "@holdfast/telemetry";

/** What the semantic conventions for messaging ask of every span; `type` is theirs, `name` the bus's own word. */
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
