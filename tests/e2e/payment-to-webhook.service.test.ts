import { randomBytes, randomUUID } from "node:crypto";
import { EVENT_STREAM, putWebhook } from "@holdfast/contracts";
import { request } from "@holdfast/messaging";
import { createReplyRecipient } from "@holdfast/sealing";
import { createLogger, parseConfig } from "@holdfast/service-runtime";
import { eventually } from "../support/index.ts";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../services/payments/test/payments-harness.ts";
import { configSchema } from "../../services/webhook-dispatcher/src/config.ts";
import { startWebhookDispatcher } from "../../services/webhook-dispatcher/src/service.ts";
import {
  makeTestCertificates,
  type TestCertificates,
} from "../../services/webhook-dispatcher/test/test-certificates.ts";
import {
  checkInvariants,
  emptyLedgers,
  INVARIANTS,
  readRows,
  type HistoryEntry,
  type Ledgers,
} from "../checker/index.ts";
import { startLedgerReceiver, type LedgerReceiver } from "../support/ledger-receiver.ts";

// The whole way: payments is asked, its outbox is relayed, the dispatcher delivers; the merchant's ledger is the witness.
let payments: PaymentsHarness;
let certificates: TestCertificates;
let receiver: LedgerReceiver;
let dispatcher: { stop(): Promise<void> };
const secretKeys = `k1:${randomBytes(32).toString("base64")}`;

beforeAll(async () => {
  [payments, certificates] = await Promise.all([
    startPaymentsHarness({ OUTBOX_REPUBLISH_AFTER: "500ms" }),
    makeTestCertificates(),
  ]);
  receiver = await startLedgerReceiver(certificates);
  dispatcher = await startDispatcher();
});
afterAll(async () => {
  await dispatcher.stop();
  await receiver.close();
  await payments.close();
});

const startDispatcher = () =>
  startWebhookDispatcher(
    parseConfig(configSchema, {
      HEALTH_PORT: "0",
      LISTEN_HOST: "127.0.0.1",
      DATABASE_URL: payments.database.urls.webhooks.app,
      DATABASE_CONNECTION_TIMEOUT: "60s",
      NATS_URL: payments.nats.url,
      WEBHOOK_SECRET_KEYS: secretKeys,
      WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
      WEBHOOK_ALLOWED_PORTS: "any",
      WEBHOOK_CA_FILE: certificates.caFile,
      WEBHOOK_CLAIM_INTERVAL: "50ms",
      DRAIN_TIMEOUT: "1s",
    }),
    createLogger("webhook-dispatcher", "error"),
  );

async function turnOn(): Promise<string> {
  const recipient = createReplyRecipient();
  const context = { requestId: randomUUID(), deadlineAt: Date.now() + 100_000, operator: { name: "olga" } };
  const payload = { merchantId: payments.merchantId, url: receiver.url, recipientKey: recipient.publicKey };
  const reply = await request(payments.bus, putWebhook, context, payload, {
    waitUntil: Date.now() + 110_000,
    traceparent: "",
  });
  if (reply.outcome !== "done" || !reply.result.secret) throw new Error(JSON.stringify(reply));
  return recipient.open(reply.result.secret);
}

/** Rows, receiver and, as the answer of a GET, the record of each payment. */
async function ledgers(secret: string): Promise<Ledgers> {
  const rows = await readRows((text) => payments.query(text));
  const history = await Promise.all(rows.payments.map(({ paymentId }) => readAsMerchant(paymentId)));
  const rules = {
    receivers: [{ merchantId: payments.merchantId, path: "/webhooks", secrets: [secret] }],
    retryDelaysMs: [30_000],
  };
  return { ...emptyLedgers(rules), ...rows, history, received: receiver.ledger };
}

async function readAsMerchant(paymentId: string): Promise<HistoryEntry> {
  const reply = await payments.read(paymentId);
  if (reply.outcome !== "done") throw new Error(`${paymentId}: ${reply.outcome}`);
  return {
    sequence: 1,
    merchantId: payments.merchantId,
    gateway: "none",
    method: "GET",
    path: `/api/payment/${paymentId}`,
    sentAt: 0,
    bytesSent: true,
    answeredAt: 1,
    status: 200,
    replayed: false,
    body: JSON.stringify(reply.result),
  };
}

/** What can be judged without a bank's ledger and the merchant's requests. */
const JUDGED = INVARIANTS.filter(
  ({ subject, number }) => subject === "webhooks" || number === 8 || number === 23 || number === 25,
);

test("every final state is delivered once, signed, true to the payment, and both sides agree; JetStream's data deleted mid-run", async () => {
  const secret = await turnOn();
  const cards = ["4111111111111111", "4000000000000002", "5555555555554444"];
  const pay = (index: number) => payments.send(payments.command({ cardData: { pan: cards[index % 3]! } }));
  await Promise.all(Array.from({ length: 15 }, (_, index) => pay(index)));
  await (await jetstreamManager(payments.bus.nats)).streams.delete(EVENT_STREAM.name);
  await Promise.all(Array.from({ length: 15 }, (_, index) => pay(index)));
  // The dispatcher away for a moment: what happens meanwhile waits in the outbox.
  await dispatcher.stop();
  await Promise.all(Array.from({ length: 6 }, (_, index) => pay(index)));
  dispatcher = await startDispatcher();

  await eventually(async () => {
    const [row] = await payments.query(
      "select count(*)::int as count from webhooks.outcome where outcome = 'delivered'",
    );
    expect(row).toEqual({ count: 36 });
  });
  await eventually(async () => expect(checkInvariants(await ledgers(secret), JUDGED)).toEqual([]));
  const { outbox } = await ledgers(secret);
  expect(outbox).toHaveLength(36);
  expect(new Set(outbox.map(({ status }) => status))).toEqual(new Set(["SUCCESS", "FAILED"]));
});
