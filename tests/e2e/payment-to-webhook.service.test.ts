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
  checkOutbox,
  checkWebhooks,
  type FinalState,
  type OutboxEvidence,
} from "../checker/check-webhooks.ts";
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

async function finals(): Promise<FinalState[]> {
  const rows = await payments.query<{
    event_id: string;
    merchant_id: string;
    payment_id: string;
    status: string;
    at: Date;
  }>("select event_id, merchant_id, payment_id, status, occurred_at as at from payments.outbox");
  return await Promise.all(
    rows.map(async (row) => {
      const reply = await payments.read(row.payment_id);
      if (reply.outcome !== "done") throw new Error(`${row.payment_id}: ${reply.outcome}`);
      return {
        eventId: row.event_id,
        merchantId: row.merchant_id,
        paymentId: row.payment_id,
        status: row.status,
        committedAt: row.at.getTime(),
        record: reply.result,
      };
    }),
  );
}

async function outboxEvidence(): Promise<OutboxEvidence> {
  return {
    finalRows: await payments.query(
      `select payment_id as "paymentId", to_state as status, xact_id::text as "xactId" from payments.payment_history
       where to_state in ('SUCCESS', 'FAILED', 'REJECTED', 'CANCELLED')`,
    ),
    outbox: await payments.query(
      `select event_id as "eventId", payment_id as "paymentId", status, xact_id::text as "xactId",
         confirmed_at is not null as confirmed from payments.outbox`,
    ),
    dispatcherEventIds: (
      await payments.query<{ event_id: string }>("select event_id from webhooks.event")
    ).map(({ event_id }) => event_id),
  };
}

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
  await eventually(async () => expect(checkOutbox(await outboxEvidence())).toEqual([]));
  const rules = {
    delaysMs: [30_000],
    windowMs: 48 * 3_600_000,
    secrets: [{ merchantId: payments.merchantId, path: "/webhooks", secrets: [secret] }],
  };
  const states = await finals();
  expect(states).toHaveLength(36);
  expect(new Set(states.map(({ status }) => status))).toEqual(new Set(["SUCCESS", "FAILED"]));
  expect(checkWebhooks({ ledger: receiver.ledger, finals: states, rules })).toEqual([]);
});
