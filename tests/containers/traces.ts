import { randomBytes } from "node:crypto";
import type { OtlpReceiver } from "../support/index.ts";

/** A trace that a client has begun, with the headers of its request. */
export type ClientTrace = { traceId: string; spanId: string; headers: { traceparent: string } };

export function drawTrace(): ClientTrace {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

/** A trace's spans directly below the client's or of an unknown parent, its services, and all spans' names. */
export function treeOf({ spans }: OtlpReceiver, { traceId, spanId }: ClientTrace) {
  const found = spans.filter((span) => span.traceId === traceId);
  const ids = new Set(found.map((span) => span.spanId));
  const label = (span: (typeof found)[number]) => `${span.service}: ${span.name}`;
  const strays = found.filter((span) => span.parentSpanId !== spanId && !ids.has(span.parentSpanId ?? ""));
  const tops = found.filter((span) => span.parentSpanId === spanId);
  return {
    roots: [...tops.map(label), ...strays.map((span) => `${label(span)} (of an unknown parent)`)],
    services: [...new Set(found.map(({ service }) => service))].toSorted(),
    names: found.map(label),
  };
}
