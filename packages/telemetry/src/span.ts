import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span,
} from "@opentelemetry/api";
import { currentTracer } from "./scope.ts";
import { linksTo } from "./traceparent.ts";

/**
 * The attributes that a span may have: names of the semantic conventions and our own. As with the log it is a list of
 * allowed names, here enforced by the compiler; there is no way to put a body, a header, a path or a statement's values
 * on a span.
 */
export type SpanAttributes = { [Name in SpanAttribute]?: string | number | undefined };

type SpanAttribute =
  | "db.namespace"
  | "db.operation.batch.size"
  | "db.query.summary"
  | "db.system.name"
  | "error.type"
  | "holdfast.acquirer.account"
  | "holdfast.acquirer.unreached"
  | "holdfast.attempt"
  | "holdfast.batch.wait"
  | "holdfast.event.id"
  | "holdfast.merchant.id"
  | "holdfast.operation"
  | "holdfast.outcome"
  | "holdfast.payment.id"
  | "holdfast.refund.id"
  | "holdfast.request.id"
  | "holdfast.status"
  | "holdfast.trigger"
  | "http.request.method"
  | "http.response.status_code"
  | "http.route"
  | "messaging.destination.name"
  | "messaging.message.id"
  | "messaging.operation.name"
  | "messaging.operation.type"
  | "messaging.system"
  | "server.address"
  | "server.port"
  | "url.scheme";

/** Values of `holdfast.outcome` for which a unit of work is kept regardless of the sampling. */
export const UNKNOWN_OUTCOME = "unknown";
/** An unknown outcome has become known: without it the story of that payment has no end. */
export const SETTLED_OUTCOME = "settled";

export type SpanOptions = {
  kind: SpanKind;
  /** Other than the context that is active. */
  parent?: Context;
  links?: Link[];
  attributes?: SpanAttributes;
};

export function startSpan(name: string, { kind, parent, links, attributes }: SpanOptions): Span {
  return currentTracer().startSpan(
    name,
    {
      kind,
      ...(links && { links }),
      ...(attributes && { attributes }),
    },
    parent ?? context.active(),
  );
}

/** Runs `work` in a span. If `work` throws, the span records the error. */
export async function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(name, options);
  try {
    return await context.with(trace.setSpan(options.parent ?? context.active(), span), work, undefined, span);
  } catch (error) {
    failSpan(span, errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Runs work that follows from an earlier unit without being part of it, in a trace of its own with a link to
 * the earlier trace.
 */
export async function inLinkedSpan<Result>(
  name: string,
  traceparent: string | null | undefined,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const options = { kind: SpanKind.INTERNAL, parent: ROOT_CONTEXT, links: linksTo(traceparent) };
  return await inSpan(name, options, work);
}

/** Adds attributes to the unit of work under way. */
export function annotate(attributes: SpanAttributes, span: Span | undefined = trace.getActiveSpan()): void {
  if (!span?.isRecording()) return;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) span.setAttribute(name, value);
  }
}

/** @param type is one of few values, never a message: a database's messages repeat rows. */
export function failSpan(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** An error's code (SQLSTATE, `ECONNRESET`, ours), else its class. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
