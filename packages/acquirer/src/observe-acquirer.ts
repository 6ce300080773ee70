import {
  addTimeElsewhere,
  annotate,
  failSpan,
  inSpan,
  lazyHistogram,
  meterOf,
  seriesOf,
  SpanKind,
  startAtZero,
  UNKNOWN_OUTCOME,
  type SpanAttributes,
} from "@holdfast/telemetry";
import { oncePerSecond, type Logger } from "@holdfast/service-runtime";
import type { Acquirer } from "./acquirer.ts";
import { noting, UNREACHED_CAUSES, type Unreached } from "./unreached.ts";
import { wrapCalls, type Call, type CallOutcome } from "./wrap-calls.ts";

/**
 * Adds to an acquirer a span, a measurement and a log line at `debug` for each call: the operation, the
 * payment, the outcome and the duration. It reads only a request's reference and an answer's kind. The reason
 * why the bank was unreachable is on the span, in a label and, at most once a second, in a log line at
 * `warn`.
 */
export function observeAcquirer(
  acquirer: Acquirer,
  { url, account, log }: { url: string | undefined; account: string; log: Pick<Logger, "debug" | "warn"> },
): Acquirer {
  const ofAccount = { "holdfast.acquirer.account": account };
  const server: SpanAttributes = { ...ofAccount, ...(url !== undefined && serverOf(url)) };
  const mismatches = meterOf("acquirer").createCounter("holdfast.acquirer.mismatches", {
    description: "Answers of the acquirer about something else than was asked, by operation",
  });
  const refusedCredentials = meterOf("acquirer").createCounter("holdfast.acquirer.credentials_refused", {
    description: "Calls that the acquirer refused because it does not know our user or password",
  });
  refusedCredentials.add(0, ofAccount);
  const calls = meterOf("acquirer").createCounter("holdfast.acquirer.calls", {
    description:
      "Calls to the acquirer, by whether it answered, may have carried them out, or was not reached",
  });
  const notReached = meterOf("acquirer").createCounter("holdfast.acquirer.unreached", {
    description: "Calls for which no connection to the acquirer came about, by cause",
  });
  startAtZero(notReached, ...UNREACHED_CAUSES.map((cause) => ({ cause, ...ofAccount })));
  let latest: Unreached | undefined;
  const logUnreached = oncePerSecond((count) =>
    log.warn(
      { account, fault: latest?.cause, reason: latest?.detail, count },
      "the bank could not be reached",
    ),
  );
  const noteUnreached = (unreached: Unreached) => {
    notReached.add(1, { cause: unreached.cause, ...ofAccount });
    latest = unreached;
    logUnreached();
  };
  const countRefused = () => refusedCredentials.add(1, ofAccount);
  return wrapCalls(acquirer, (operation, call) => {
    const labels = { operation, ...ofAccount };
    // Exported from the beginning, so that the first event is an increase.
    mismatches.add(0, labels);
    startAtZero(calls, ...seriesOf({ result: CALL_RESULTS }).map((result) => ({ ...labels, ...result })));
    const count = (outcome: CallOutcome) => calls.add(1, { ...labels, result: resultOf(outcome) });
    const countMismatch = () => mismatches.add(1, labels);
    const instruments = { count, countMismatch, countRefused, noteUnreached, log };
    return observe(operation, call, { server, account, ...instruments });
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
    count,
    countMismatch,
    countRefused,
    noteUnreached,
    log,
  }: {
    server: SpanAttributes;
    account: string;
    count: (outcome: CallOutcome) => void;
    countMismatch: () => void;
    countRefused: () => void;
    noteUnreached: (unreached: Unreached) => void;
    log: Pick<Logger, "debug">;
  },
): Call {
  return async (request) => {
    const startedAt = performance.now();
    // References begin with the payment's or the refund's id.
    const paymentId = request.reference.slice(0, UUID_LENGTH);
    const attributes = { ...server, "holdfast.operation": operation, "holdfast.payment.id": paymentId };
    return await inSpan(`acquirer ${operation}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      const { outcome, unreached } = await noting(() => call(request));
      const isUnknown = outcome.kind === "unknown";
      annotate({ "holdfast.outcome": isUnknown ? UNKNOWN_OUTCOME : outcome.kind }, span);
      if (isUnknown || outcome.kind === "not_sent") failSpan(span, outcome.reason ?? outcome.kind);
      count(outcome);
      if (unreached && resultOf(outcome) === "not_sent") {
        annotate({ "holdfast.acquirer.unreached": unreached.cause }, span);
        noteUnreached(unreached);
      }
      if (outcome.reason === "mismatch") countMismatch();
      if (outcome.reason === "credentials") countRefused();
      const durationMs = performance.now() - startedAt;
      addTimeElsewhere(durationMs);
      recordDuration(durationMs, {
        operation,
        outcome: outcome.reason ?? outcome.kind,
        "holdfast.acquirer.account": account,
      });
      const { kind, reason } = outcome;
      log.debug({ operation, account, paymentId, outcome: kind, reason, durationMs }, "acquirer called");
      return outcome;
    });
  };
}

/** `not_sent`: no connection was made. `held_back`: not sent for another reason, such as a limit. */
const CALL_RESULTS = ["answered", "unknown", "not_sent", "held_back"] as const;

function resultOf({ kind, reason }: CallOutcome): (typeof CALL_RESULTS)[number] {
  if (kind === "unknown") return "unknown";
  if (kind !== "not_sent") return "answered";
  return reason === undefined ? "not_sent" : "held_back";
}

const UUID_LENGTH = 36;

const recordDuration = lazyHistogram(
  "acquirer",
  "holdfast.acquirer.duration",
  "Duration of calls to the acquirer, by operation and outcome (of an unknown one, its reason)",
);
