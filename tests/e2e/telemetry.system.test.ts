import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually, type OtlpReceiver, type ReceivedSpan } from "../support/index.ts";
import { expect, test } from "vitest";
import { encodingsOf, findSecrets } from "./encodings.ts";
import {
  collectTelemetry,
  preAuthorization,
  receiveWebhooks,
  runSandbox,
  type RunningSandbox,
} from "./running-sandbox.ts";

const CLIENT_SPAN = "00f067aa0ba902b7";
/** Luhn-valid and of no use anywhere else, so that one find is one leak. */
const PAN = "4539578763621486";
const CVV = "7391";

test("one trace leads from the merchant's request to the webhook's POST, and bears nothing of the card", async () => {
  const collector = await collectTelemetry({
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_TRACES_SAMPLER: "always_on",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_METRIC_EXPORT_INTERVAL: "500",
  });
  const sandbox = await runSandbox();
  await receiveWebhooks(sandbox);
  // On a busy machine a webhook's first attempt may be late; then the next payment is examined.
  const { traceId, created, spans } = await eventually(async () => {
    const traced = await payTraced(sandbox, collector);
    expect(traced.spans.find(({ name }) => name === "POST webhook")).toMatchObject({
      attributes: { "holdfast.outcome": "delivered" },
    });
    return traced;
  });
  assertAttributes(spans, sandbox, created.body.paymentId);
  expect(spans.every(({ isError }) => !isError)).toBe(true);
  await assertMetrics(sandbox, collector);
  const logs = await readLogs(sandbox, { traceId, requestId: created.headers.get("X-Request-Id")! });
  await assertNothingOfTheCard(sandbox, collector, logs);
});

/** A payment whose merchant traces it, and its spans once all of them have come. */
async function payTraced(sandbox: RunningSandbox, collector: OtlpReceiver) {
  const traceId = randomBytes(16).toString("hex");
  const created = await sandbox.merchant()(
    "POST",
    "/api/pre-authorization",
    preAuthorization({ pan: PAN, cvv: CVV }),
    { traceparent: `00-${traceId}-${CLIENT_SPAN}-01` },
  );
  expect(created.status).toBe(201);
  const ofTrace = () => {
    const found = collector.spans.filter((span) => span.traceId === traceId);
    expect(pathsOf(found)).toEqual(WHOLE_TRACE);
    return found;
  };
  // The first payments after the start fill caches, and so have more spans: only later payments are examined.
  const spans = await eventually(ofTrace, { withinMs: 15_000 });
  return { traceId, created, spans };
}

/** Every span with its enclosing spans, outermost first. */
const EDGE = "api-gateway: SERVER POST /api/pre-authorization";
const COMMAND = `${EDGE} > api-gateway: CLIENT request payments.pre-authorize > payments: SERVER process payments.pre-authorize`;
const SUBJECT = "events.payments.payment.status_changed";
const EVENT = `${COMMAND} > payments: PRODUCER publish ${SUBJECT}`;
const ACCEPTANCE = `${EVENT} > webhook-dispatcher: CONSUMER process ${SUBJECT}`;
const WHOLE_TRACE = [
  EDGE,
  `${EDGE} > api-gateway: CLIENT SELECT credential`,
  `${EDGE} > api-gateway: CLIENT request payments.pre-authorize`,
  COMMAND,
  `${COMMAND} > payments: CLIENT claim-payments`,
  `${COMMAND} > payments: CLIENT acquirer authorize`,
  `${COMMAND} > payments: CLIENT record-payments`,
  EVENT,
  ACCEPTANCE,
  `${ACCEPTANCE} > webhook-dispatcher: CLIENT accept-events`,
  `${ACCEPTANCE} > webhook-dispatcher: CLIENT POST webhook`,
  `${ACCEPTANCE} > webhook-dispatcher: CLIENT POST webhook > webhook-dispatcher: CLIENT record-results`,
].toSorted();

function assertAttributes(spans: ReceivedSpan[], { file }: RunningSandbox, paymentId: string): void {
  const called = (name: string) => spans.find((span) => span.name === name)!;
  const { merchantId } = file.merchants[0]!;
  const payment = { "holdfast.payment.id": paymentId, "holdfast.merchant.id": merchantId };
  const edge = called("POST /api/pre-authorization");
  expect(edge.parentSpanId).toBe(CLIENT_SPAN);
  expect(edge.attributes).toMatchObject({
    ...payment,
    "http.request.method": "POST",
    "url.scheme": "http",
    "http.route": "/api/pre-authorization",
    "http.response.status_code": 201,
  });
  expect(called("process payments.pre-authorize").attributes).toMatchObject({
    ...payment,
    "messaging.system": "nats",
    "messaging.destination.name": "payments.pre-authorize",
    "messaging.operation.type": "process",
    "holdfast.status": "SUCCESS",
    "holdfast.outcome": "done",
  });
  expect(called("claim-payments").attributes).toMatchObject({
    "db.system.name": "postgresql",
    "db.query.summary": "claim-payments",
  });
  expect(called("acquirer authorize").attributes).toMatchObject({
    "holdfast.payment.id": paymentId,
    "holdfast.acquirer.account": file.accountId,
    "holdfast.outcome": "approved",
  });
  for (const name of [`publish ${SUBJECT}`, `process ${SUBJECT}`]) {
    expect(called(name).attributes).toMatchObject({ ...payment, "holdfast.status": "SUCCESS" });
  }
  expect(called("POST webhook").attributes).toMatchObject({
    ...payment,
    "http.request.method": "POST",
    "http.response.status_code": 200,
    "holdfast.attempt": 1,
    "holdfast.outcome": "delivered",
  });
}

/** Metrics are pushed to the collector, and read at the health port. */
async function assertMetrics(sandbox: RunningSandbox, collector: OtlpReceiver): Promise<void> {
  for (const [service, names] of Object.entries(METRICS)) {
    await eventually(() =>
      expect([...(collector.metrics.get(service) ?? [])]).toEqual(expect.arrayContaining(names)),
    );
    const text = await metricsText(sandbox, service);
    for (const name of names) expect(text).toContain(`# TYPE ${name.replaceAll(".", "_")}`);
  }
}

const OF_ALL = [
  "nodejs.eventloop.delay.p99",
  "db.client.connection.wait_time",
  "db.client.connection.pending_requests",
  "db.client.operation.duration",
  "holdfast.build.info",
];
const METRICS = {
  "api-gateway": [...OF_ALL, "http.server.request.duration", "messaging.client.operation.duration"],
  payments: [
    ...OF_ALL,
    "messaging.process.duration",
    "holdfast.command.own_time",
    "holdfast.batch.wait",
    "holdfast.batch.queue",
    "holdfast.acquirer.calls",
    "holdfast.payments",
    "holdfast.payments.unknown.open",
    "holdfast.payments.unknown.oldest.age",
    "holdfast.payments.chargebacks.unanswered",
    "holdfast.acquirer.duration",
    "holdfast.outbox.oldest_unconfirmed.age",
  ],
  refunds: [...OF_ALL, "holdfast.refunds.waiting", "holdfast.refunds.oldest.age"],
  "webhook-dispatcher": [
    ...OF_ALL,
    "holdfast.webhooks.attempts",
    "holdfast.webhooks.first_attempt.delay",
    "holdfast.webhooks.oldest_due.age",
    "holdfast.webhooks.breakers_open",
    "holdfast.webhooks.endpoints_failing",
  ],
};

async function metricsText({ file }: RunningSandbox, service: string): Promise<string> {
  return await (await fetch(`${file.healthUrls[service]}/metrics`)).text();
}

/** Each line of the request's unit of work names the trace; the lines of all processes. */
async function readLogs(
  sandbox: RunningSandbox,
  { traceId, requestId }: { traceId: string; requestId: string },
): Promise<Buffer[]> {
  const read = (service: string) => readFile(join(sandbox.file.logs, `${service}.log`));
  const request = await eventually(async () => {
    const lines = (await read("api-gateway")).toString().split("\n");
    return lines.find((line) => line.includes(requestId)) ?? false;
  });
  const span = expect.stringMatching(/^[0-9a-f]{16}$/);
  expect(JSON.parse(request)).toMatchObject({ msg: "request", trace_id: traceId, span_id: span });
  for (const [service, message] of [
    ["payments", "payment recorded"],
    ["webhook-dispatcher", "webhook attempt"],
  ] as const) {
    const line = await eventually(async () => {
      const lines = (await read(service)).toString().split("\n");
      return lines.find((each) => each.includes(`"msg":"${message}"`) && each.includes(traceId)) ?? false;
    });
    expect(JSON.parse(line)).toMatchObject({ trace_id: traceId, span_id: span });
  }
  return await Promise.all(Object.keys(METRICS).map(read));
}

async function assertNothingOfTheCard(
  sandbox: RunningSandbox,
  { bodies }: OtlpReceiver,
  logs: Buffer[],
): Promise<void> {
  const texts = await Promise.all(Object.keys(METRICS).map((service) => metricsText(sandbox, service)));
  const secrets = new Map([["card", encodingsOf(PAN)]]);
  for (const content of [...bodies, ...logs, ...texts.map((text) => Buffer.from(text))]) {
    expect(findSecrets(content, secrets)).toEqual([]);
    // Four digits stand anywhere by chance, so the cvv and the holder are looked for by the words around them.
    expect(content.toString("latin1")).not.toMatch(/cvv|card.?holder|Lovelace/i);
  }
  expect(bodies.length).toBeGreaterThan(4);
}

/** Each span with its parents, outermost first. */
function pathsOf(spans: ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = (span: ReceivedSpan): string => {
    const parent = span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
    const own = `${span.service}: ${span.kind} ${span.name}`;
    return parent ? `${path(parent)} > ${own}` : own;
  };
  return spans.map(path).toSorted();
}
