import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startReceiver } from "@holdfast/merchant-receiver";
import { eventually, startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from "@holdfast/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { encodingsOf, findSecrets } from "./encodings.ts";
import { preAuthorization, runSandbox, type RunningSandbox } from "./running-sandbox.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const CLIENT_SPAN = "00f067aa0ba902b7";
/** Luhn-valid and of no use anywhere else, so that one find is one leak. */
const PAN = "4539578763621486";
const CVV = "7391";

test("one trace leads from the merchant's request to the webhook's POST, and bears nothing of the card", async () => {
  const collector = await collect();
  const sandbox = await runSandbox();
  await receiveWebhooks(sandbox);
  const created = await sandbox.merchant()(
    "POST",
    "/api/pre-authorization",
    preAuthorization({ pan: PAN, cvv: CVV }),
    { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01` },
  );
  expect(created.status).toBe(201);

  const spans = await eventually(() => {
    const found = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
    expect(pathsOf(found)).toEqual(WHOLE_TRACE);
    return found;
  });
  assertAttributes(spans, sandbox, created.body.paymentId);
  expect(spans.every(({ isError }) => !isError)).toBe(true);
  await assertMetrics(sandbox, collector);
  const logs = await readLogs(sandbox, created.headers.get("X-Request-Id")!);
  await assertNothingOfTheCard(sandbox, collector, logs);
});

/** Every span with the spans it stands in, outermost first. */
const EDGE = "api-gateway: SERVER POST /api/pre-authorization";
const COMMAND = `${EDGE} > api-gateway: CLIENT request payments.pre-authorize > payments: SERVER process payments.pre-authorize`;
const SUBJECT = "events.payments.payment.status_changed";
const EVENT = `${COMMAND} > payments: PRODUCER publish ${SUBJECT}`;
const ACCEPTANCE = `${EVENT} > webhook-dispatcher: CONSUMER process ${SUBJECT}`;
const WHOLE_TRACE = [
  EDGE,
  `${EDGE} > api-gateway: CLIENT find-credential`,
  `${EDGE} > api-gateway: CLIENT request payments.pre-authorize`,
  COMMAND,
  `${COMMAND} > payments: CLIENT claim-payments`,
  `${COMMAND} > payments: CLIENT acquirer authorize`,
  `${COMMAND} > payments: CLIENT record-payments`,
  EVENT,
  ACCEPTANCE,
  `${ACCEPTANCE} > webhook-dispatcher: CLIENT accept-events`,
  `${ACCEPTANCE} > webhook-dispatcher: CLIENT POST webhook`,
  `${ACCEPTANCE} > webhook-dispatcher: CLIENT POST webhook > webhook-dispatcher: CLIENT record-attempts`,
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

/** Both ways out: pushed to the collector, and read at the health port. */
async function assertMetrics(sandbox: RunningSandbox, collector: OtlpReceiver): Promise<void> {
  for (const [service, names] of Object.entries(METRICS)) {
    await eventually(() => expect([...(collector.metrics.get(service) ?? [])]).toEqual(expect.arrayContaining(names)));
    const text = await metricsText(sandbox, service);
    for (const name of names) expect(text).toContain(`# TYPE ${name.replaceAll(".", "_")}`);
  }
}

const OF_ALL = [
  "nodejs.eventloop.delay.p99",
  "db.client.connection.wait_time",
  "db.client.connection.pending_requests",
  "db.client.operation.duration",
];
const METRICS = {
  "api-gateway": [...OF_ALL, "http.server.request.duration", "messaging.client.operation.duration"],
  payments: [
    ...OF_ALL,
    "messaging.process.duration",
    "holdfast.payments",
    "holdfast.payments.unknown.open",
    "holdfast.payments.unknown.oldest.age",
    "holdfast.acquirer.duration",
    "holdfast.outbox.oldest_unconfirmed.age",
  ],
  refunds: [...OF_ALL, "holdfast.refunds.waiting", "holdfast.refunds.oldest.age"],
  "webhook-dispatcher": [
    ...OF_ALL,
    "holdfast.webhooks.attempts",
    "holdfast.webhooks.oldest_due.age",
    "holdfast.webhooks.breakers_open",
  ],
};
