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

type Outcome = { kind: string; reason?: string };
type Operation = (request: { reference: string }) => Promise<Outcome>;

/**
 * The same acquirer, with a span and a measurement for each call: the operation, the payment, the outcome and the
 * duration. It reads only the reference of a request and only the kind of an answer.
 */
export function observeAcquirer(
  acquirer: Acquirer,
  { url, account }: { url: string | undefined; account: string },
): Acquirer {
  const server = { "acquirer.account": account, ...(url !== undefined && serverOf(url)) };
  const operations = Object.entries(acquirer).filter(([name]) => !NO_CALLS.has(name));
  const mismatches = metrics.getMeter("acquirer").createCounter("holdfast.acquirer.mismatches", {
    description: "Answers of the acquirer about something else than was asked, by operation",
  });
  // Exported from the beginning, so that the first one is an increase.
  const labelled = (operation: string) => ({ operation, "acquirer.account": account });
  for (const [operation] of operations) mismatches.add(0, labelled(operation));
  const countMismatch = (operation: string) => mismatches.add(1, labelled(operation));
  const observed = operations.map(([name, operation]) => [
    name,
    observe(name, operation as Operation, { server, account, countMismatch }),
  ]);
  return { ...acquirer, ...Object.fromEntries(observed) };
}

/** What makes no call to the acquirer, or none that is about a payment. */
const NO_CALLS: ReadonlySet<string> = new Set([
  "capabilities",
  "checkReturn",
  "missingField",
  "close",
  "probe",
]);

function serverOf(url: string): SpanAttributes {
  const { hostname, port, protocol } = new URL(url);
  return {
    "server.address": hostname,
    "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
  };
}

function observe(
  operation: string,
  call: Operation,
  {
    server,
    account,
    countMismatch,
  }: { server: SpanAttributes; account: string; countMismatch: (operation: string) => void },
): Operation {
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
      if (outcome.reason === "mismatch") countMismatch(operation);
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
