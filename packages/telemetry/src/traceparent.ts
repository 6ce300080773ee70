import {
  context,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type SpanContext,
} from "@opentelemetry/api";

/** The span that a W3C `traceparent` names (https://www.w3.org/TR/trace-context/); undefined if it names none. */
export function parseTraceparent(header: string | null | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = (header && TRACEPARENT.exec(header)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { traceId, spanId, traceFlags, isRemote: true };
}

/** Version 00; ids of zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/**
 * The context in which a span continues the trace that the header names; without a header it begins a trace.
 */
export function remoteContext(header: string | null | undefined): Context {
  const parent = parseTraceparent(header);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** Links for work that belongs to a trace but comes too late to be a part of it. */
export function linksTo(header: string | null | undefined): Link[] {
  const linked = parseTraceparent(header);
  return linked ? [{ context: linked }] : [];
}

/** Names the present unit of work; undefined outside of one. */
export function activeTraceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  return active && trace.isSpanContextValid(active) ? formatTraceparent(active) : undefined;
}
