import { eventually, type OtlpReceiver, type ReceivedSpan } from "../support/index.ts";
import { expect, test } from "vitest";
import {
  bankWill,
  collectTelemetry,
  preAuthorization,
  receiveWebhooks,
  runSandbox,
} from "./running-sandbox.ts";

test("with no trace chosen, what failed or is not known is kept by every process that saw it, and nothing else", async () => {
  const collector = await collectTelemetry({
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_TRACES_SAMPLER_ARG: "0",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    // No trace is kept for being slow, however busy the machine is.
    TRACE_SLOW_AFTER: "10m",
    ACQUIRER_TIMEOUT: "5s",
    WEBHOOK_RETRY_SCHEDULE: "200ms,200ms,200ms",
  });
  const sandbox = await runSandbox();
  const receiver = await receiveWebhooks(sandbox);
  const merchant = sandbox.merchant();
  const pay = async (headers = {}): Promise<string> =>
    (await merchant("POST", "/api/pre-authorization", preAuthorization(), headers)).body.paymentId;

  // A client's sampling flag does not keep the trace.
  const quiet = await pay({ traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` });
  await eventually(() => receiver.ledger.length === 1);
  receiver.behave((_entry, index) => ({ kind: "status", status: index < 3 ? 500 : 200 }));
  const undelivered = await pay();
  await bankWill(sandbox, "hang");
  const unknown = await pay();

  await eventually(() => unknownIsKept(spansOf(collector, unknown)));
  await eventually(() => attemptsAreLinked(spansOf(collector, undelivered)));
  // The other spans came by the same way, and later.
  expect(spansOf(collector, quiet)).toEqual([]);
});

/** The units of work of the gateway and of payments, and recovery's own, which leads back to them. */
function unknownIsKept(spans: ReceivedSpan[]): void {
  const request = spans.find(({ name }) => name === "POST /api/pre-authorization")!;
  const command = spans.find(({ name }) => name === "process payments.pre-authorize")!;
  const recovery = spans.find(({ name }) => name === "recover payment")!;
  expect(request.attributes).toMatchObject({ "http.response.status_code": 202 });
  expect(command).toMatchObject({
    traceId: request.traceId,
    attributes: { "holdfast.outcome": "unknown", "holdfast.status": "ENROLLED" },
  });
  expect(spans.find(({ name }) => name === "acquirer authorize")).toMatchObject({
    traceId: request.traceId,
    parentSpanId: command.spanId,
    isError: true,
    attributes: { "error.type": "timeout" },
  });
  expect(recovery.traceId).not.toBe(request.traceId);
  expect(recovery.links).toEqual([{ traceId: command.traceId, spanId: command.spanId }]);
}

/** The first attempt belongs to the payment's trace; a later one is a trace of its own, linked to it. */
function attemptsAreLinked(spans: ReceivedSpan[]): void {
  const failed = spans.filter(({ name, isError }) => name === "POST webhook" && isError);
  const [first, second] = failed;
  expect(failed.map(({ attributes }) => attributes["holdfast.attempt"])).toEqual([1, 2]);
  expect(first!.attributes).toMatchObject({ "error.type": "status", "http.response.status_code": 500 });
  expect(first!.links).toEqual([]);
  expect(second!.traceId).not.toBe(first!.traceId);
  expect(second!.parentSpanId).toBeUndefined();
  expect(second!.links).toEqual([{ traceId: first!.traceId, spanId: first!.parentSpanId }]);
}

/** The spans that name the payment. */
function spansOf({ spans }: OtlpReceiver, paymentId: string): ReceivedSpan[] {
  return spans.filter(({ attributes }) => attributes["holdfast.payment.id"] === paymentId);
}
