import { PROBLEMS } from "@holdfast/contracts";
import type { Logger } from "@holdfast/service-runtime";
import type { Exchange } from "./exchange.ts";

/**
 * Writes the one log line of a request: the route's template, never the path, and of headers and bodies only
 * the API key. The key names a credential and is not secret. The log must say which of a merchant's keys
 * acted, and which one is under attack.
 */
export function logExchange(log: Logger, exchange: Exchange): void {
  const {
    req,
    route,
    requestId,
    apiKey,
    merchantId,
    person,
    paymentId,
    code,
    error,
    response: { headersSent, statusCode },
  } = exchange;
  log[levelOf(exchange)](
    {
      listener: exchange.listener.name,
      method: req.method,
      route,
      statusCode: headersSent ? statusCode : undefined,
      // The client went away before the answer.
      outcome: headersSent ? undefined : "aborted",
      durationMs: Math.round((performance.now() - exchange.startedAt) * 10) / 10,
      requestId,
      clientAddress: exchange.clientAddress,
      apiKey,
      merchantId,
      actor: person?.subject,
      paymentId,
      code,
      trace_id: exchange.trace.traceId,
      span_id: exchange.trace.spanId,
      ...(error !== undefined && { error }),
    },
    "request",
  );
}

function levelOf({ code, error }: Exchange): "info" | "warn" | "error" {
  if (code !== undefined && PROBLEMS[code].status === PROBLEMS.internal_error.status) return "error";
  return error !== undefined || (code !== undefined && PROBLEMS[code].status > PROBLEMS.internal_error.status)
    ? "warn"
    : "info";
}
