import {
  annotate,
  failSpan,
  inSpan,
  lazyHistogram,
  metrics,
  SpanKind,
  UNKNOWN_OUTCOME,
  type SpanAttributes,
} from "@holdfast/telemetry";
import type { Acquirer } from "./acquirer.ts";
import { wrapCalls, type Call } from "./wrap-calls.ts";

/**
 * The same acquirer, with a span and a measurement for each call: the operation, the payment, the outcome and the
 * duration. It reads only the reference of a request and only the kind of an answer.
 */
export function observeAcquirer(
  acquirer: Acquirer,
  { url, account }: { url: string | undefined; account: string },
): Acquirer {
  const server = { "acquirer.account": account, ...(url !== undefined && serverOf(url)) };
  const mismatches = metrics.getMeter("acquirer").createCounter("holdfast.acquirer.mismatches", {
    description: "Answers of the acquirer about something else than was asked, by operation",
  });
  const refusedCredentials = metrics
    .getMeter("acquirer")
    .createCounter("holdfast.acquirer.credentials_refused", {
      description: "Calls that the acquirer refused because it does not know our user or password",
    });
  refusedCredentials.add(0, { "acquirer.account": account });
  const countRefused = () => refusedCredentials.add(1, { "acquirer.account": account });
  return wrapCalls(acquirer, (operation, call) => {
    const labels = { operation, "acquirer.account": account };
    // Exported from the beginning, so that the first one is an increase.
    mismatches.add(0, labels);
    const countMismatch = () => mismatches.add(1, labels);
    return observe(operation, call, { server, account, countMismatch, countRefused });
  });
}

function serverOf(url: string): SpanAttributes {
  const { hostname, port, protocol } = new URL(url);
  return {
    "server.address": hostname,
    "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
  };
}

function observe(
  operation: string,
  call: Call,
  {
    server,
    account,
    countMismatch,
    countRefused,
  }: { server: SpanAttributes; account: string; countMismatch: () => void; countRefused: () => void },
): Call {
  return async (request) => {
    const startedAt = performance.now();
    const attributes = {
      ...server,
      "holdfast.operation": operation,
      // References begin with the payment's or the refund's id.
      "holdfast.payment.id": request.reference.slice(0, UUID_LENGTH),
    };
    return await inSpan(`acquirer ${operation}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const outcome = await call(request);
      const isUnknown = outcome.kind === "unknown";
      annotate({ "holdfast.outcome": isUnknown ? UNKNOWN_OUTCOME : outcome.kind }, span);
      if (isUnknown || outcome.kind === "not_sent") failSpan(span, outcome.reason ?? outcome.kind);
      if (outcome.reason === "mismatch") countMismatch();
      if (outcome.reason === "credentials") countRefused();
      recordDuration(performance.now() - startedAt, {
        operation,
        outcome: outcome.reason ?? outcome.kind,
        "acquirer.account": account,
      });
      return outcome;
    });
  };
}

const UUID_LENGTH = 36;

const recordDuration = lazyHistogram(
  "acquirer",
  "holdfast.acquirer.duration",
  "Duration of calls to the acquirer, by operation and outcome (of an unknown one, its reason)",
);
