import type { CommandReply } from "@holdfast/contracts";
import {
  annotate,
  context,
  errorType,
  failSpan,
  formatTraceparent,
  inSpan,
  lazyHistogram,
  parseTraceparent,
  remoteContext,
  SpanKind,
  trace,
  UNKNOWN_OUTCOME,
  type SpanAttributes,
} from "@holdfast/telemetry";
import { messagingAttributes } from "./messaging-attributes.ts";

/**
 * Sends a command in a span of the unit of work under way, or else of the trace that `traceparent` names, and measures
 * it. `send` gets the trace context that the message carries. A command outside of any trace is only measured.
 */
export async function traceRequest<Reply extends CommandReply<unknown>>(
  subject: string,
  traceparent: string,
  send: (traceparent: string) => Promise<Reply>,
): Promise<Reply> {
  const startedAt = performance.now();
  const attributes = messagingAttributes(subject, "send", "request");
  const record = (outcome: string) =>
    recordDuration(performance.now() - startedAt, {
      ...attributes,
      "holdfast.outcome": outcome,
    });
  try {
    const reply = await spanned({ subject, attributes, traceparent }, send);
    record(reply.outcome);
    return reply;
  } catch (error) {
    record(errorType(error));
    throw error;
  }
}

const recordDuration = lazyHistogram(
  "messaging",
  "messaging.client.operation.duration",
  "From sending a command to its answer, by subject and outcome",
);

async function spanned<Reply extends CommandReply<unknown>>(
  { subject, attributes, traceparent }: { subject: string; attributes: SpanAttributes; traceparent: string },
  send: (traceparent: string) => Promise<Reply>,
): Promise<Reply> {
  const active = trace.getActiveSpan();
  if (!active && !parseTraceparent(traceparent)) return await send(traceparent);
  const options = {
    kind: SpanKind.CLIENT,
    parent: active ? context.active() : remoteContext(traceparent),
    attributes,
  };
  return await inSpan(`request ${subject}`, options, async (span) => {
    if (!span.isRecording()) return await send(traceparent);
    const reply = await send(formatTraceparent(span.spanContext()));
    annotate({ "holdfast.outcome": IN_DOUBT.has(reply.outcome) ? UNKNOWN_OUTCOME : reply.outcome }, span);
    if (reply.outcome === "not_started") failSpan(span, reply.outcome);
    return reply;
  });
}

const IN_DOUBT: ReadonlySet<string> = new Set(["pending", "in_doubt"]);
