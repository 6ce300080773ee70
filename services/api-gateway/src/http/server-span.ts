import type { IncomingMessage } from "node:http";
import { PROBLEMS } from "@holdfast/contracts";
import {
  annotate,
  context,
  failSpan,
  formatTraceparent,
  lazyHistogram,
  parseTraceparent,
  remoteContext,
  SpanKind,
  startSpan,
  trace,
  UNKNOWN_OUTCOME,
  type Context,
  type Span,
} from "@holdfast/telemetry";
import type { Exchange } from "./exchange.ts";
import { clientTraceparent, readTraceContext, type TraceContext } from "./trace-context.ts";

/** A request's span, in the client's trace if it has one. The log and the bus get their trace ids from here. */
export type ServerSpan = {
  trace: TraceContext;
  /** Runs the work of the request, so that its statements, messages and log lines belong to the span. */
  run(work: () => void): void;
  /** The answer is sent, or the client is gone. The span has the route's template, never the path or the query. */
  end(exchange: Exchange): void;
};

export function startServerSpan(
  request: Pick<IncomingMessage, "headers" | "method">,
  scheme: "http" | "https",
): ServerSpan {
  const method = methodOf(request);
  const traceparent = clientTraceparent(request);
  const span = startSpan(method, {
    kind: SpanKind.SERVER,
    parent: remoteContext(traceparent),
    attributes: { "http.request.method": method, "url.scheme": scheme },
  });
  const { identity, unit } = span.isRecording() ? ownSpan(span) : noSpan(traceparent);
  return {
    trace: identity,
    run: (work) => context.with(unit, work),
    end(exchange) {
      recordDuration(performance.now() - exchange.startedAt, {
        "http.request.method": method,
        "url.scheme": scheme,
        "http.route": exchange.route,
        "http.response.status_code": exchange.response.headersSent ? exchange.response.statusCode : undefined,
        "holdfast.listener": exchange.listener.name,
      });
      if (span.isRecording()) describe(span, method, exchange);
      span.end();
    },
  };
}

const recordDuration = lazyHistogram(
  "api-gateway",
  "http.server.request.duration",
  "Duration of requests, by route, method and status",
);

/** An unknown method is one value in labels and names, whatever a client makes up. */
function methodOf({ method = "" }: Pick<IncomingMessage, "method">): string {
  return METHODS.has(method) ? method : "_OTHER";
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]);

type Identified = { identity: TraceContext; unit: Context };

function ownSpan(span: Span): Identified {
  const { traceId, spanId } = span.spanContext();
  return {
    identity: { traceId, spanId, traceparent: formatTraceparent(span.spanContext()) },
    unit: trace.setSpan(context.active(), span),
  };
}

/** Records nothing, but continues the trace for services that record it. */
function noSpan(traceparent: string | undefined): Identified {
  const identity = readTraceContext(traceparent);
  const own = parseTraceparent(identity.traceparent);
  return { identity, unit: own ? trace.setSpanContext(context.active(), own) : context.active() };
}

function describe(span: Span, method: string, exchange: Exchange): void {
  const { route, response, code } = exchange;
  const { headersSent, statusCode } = response;
  span.updateName(route === undefined ? method : `${method} ${route}`);
  annotate(
    {
      "http.route": route,
      "http.response.status_code": headersSent ? statusCode : undefined,
      "holdfast.request.id": exchange.requestId,
      "holdfast.merchant.id": exchange.merchantId,
      "holdfast.payment.id": exchange.paymentId,
      "holdfast.outcome": code === "outcome_unknown" ? UNKNOWN_OUTCOME : undefined,
    },
    span,
  );
  if (!headersSent) failSpan(span, "aborted");
  else if (statusCode >= PROBLEMS.internal_error.status) failSpan(span, code ?? String(statusCode));
}
