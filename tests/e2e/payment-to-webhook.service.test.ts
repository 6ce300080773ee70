import { EVENT_STREAM, getPayment, preAuthorizePayment, putWebhook } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  checkOutbox,
  checkWebhooks,
  type FinalState,
  type OutboxEvidence,
} from "../checker/check-webhooks.ts";
import {
  eventually,
  makeTestCertificates,
  startLedgerReceiver,
  startTestSystem,
  type LedgerReceiver,
  type TestSystem,
} from "../support/index.ts";

// The whole way: payments is asked, its outbox is relayed, the dispatcher delivers; the merchant's ledger is the witness.
let system: TestSystem;
let receiver: LedgerReceiver;
let dispatcher: { stop(): Promise<void> };

beforeAll(async () => {
  const certificates = await makeTestCertificates();
  receiver = await startLedgerReceiver(certificates);
  system = await startTestSystem({
    services: ["payments", "webhook-dispatcher"],
    running: ["payments"],
    env: {
      OUTBOX_REPUBLISH_AFTER: "500ms",
      WEBHOOK_CA_FILE: certificates.caFile,
      WEBHOOK_CLAIM_INTERVAL: "50ms",
    },
  });
  dispatcher = await system.start("webhook-dispatcher");
});
afterAll(async () => {
  await system.close();
  await receiver.close();
});

async function turnOn(): Promise<string> {
  const recipient = createReplyRecipient();
  const payload = { merchantId: system.merchantId, url: receiver.url, recipientKey: recipient.publicKey };
  const reply = await system.operate(putWebhook, payload);
  if (reply.outcome !== "done" || !reply.result.secret) throw new Error(JSON.stringify(reply));
  return recipient.open(reply.result.secret);
}

async function finals(): Promise<FinalState[]> {
  const rows = await system.query<{
    event_id: string;
    merchant_id: string;
    payment_id: string;
    status: string;
    at: Date;
  }>("select event_id, merchant_id, payment_id, status, occurred_at as at from payments.outbox");
  return await Promise.all(
    rows.map(async (row) => {
      const reply = await system.call(getPayment, { paymentId: row.payment_id });
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
    finalRows: await system.query(
      `select payment_id as "paymentId", to_state as status, xact_id::text as "xactId" from payments.payment_history
       where to_state in ('SUCCESS', 'FAILED', 'REJECTED', 'CANCELLED')`,
    ),
    outbox: await system.query(
      `select event_id as "eventId", payment_id as "paymentId", status, xact_id::text as "xactId",
         confirmed_at is not null as confirmed from payments.outbox`,
    ),
    dispatcherEventIds: (await system.query<{ event_id: string }>("select event_id from webhooks.event")).map(
      ({ event_id }) => event_id,
    ),
  };
}

test("every final state is delivered once, signed, true to the payment, and both sides agree; JetStream's data deleted mid-run", async () => {
  const secret = await turnOn();
  const cards = ["4111111111111111", "4000000000000002", "5555555555554444"];
  const pay = (index: number) =>
    system.call(preAuthorizePayment, system.command({ cardData: { pan: cards[index % 3]! } }));
  await Promise.all(Array.from({ length: 15 }, (_, index) => pay(index)));
  await (await jetstreamManager(system.bus.nats)).streams.delete(EVENT_STREAM.name);
  await Promise.all(Array.from({ length: 15 }, (_, index) => pay(index)));
  // The dispatcher away for a moment: what happens meanwhile waits in the outbox.
  await dispatcher.stop();
  await Promise.all(Array.from({ length: 6 }, (_, index) => pay(index)));
  dispatcher = await system.start("webhook-dispatcher");

  await eventually(async () => {
    const [row] = await system.query(
      "select count(*)::int as count from webhooks.outcome where outcome = 'delivered'",
    );
    expect(row).toEqual({ count: 36 });
  });
  await eventually(async () => expect(checkOutbox(await outboxEvidence())).toEqual([]));
  const rules = {
    delaysMs: [30_000],
    windowMs: 48 * 3_600_000,
    secrets: [{ merchantId: system.merchantId, path: "/webhooks", secrets: [secret] }],
  };
  const states = await finals();
  expect(states).toHaveLength(36);
  expect(new Set(states.map(({ status }) => status))).toEqual(new Set(["SUCCESS", "FAILED"]));
  expect(checkWebhooks({ ledger: receiver.ledger, finals: states, rules })).toEqual([]);
}, 45_000);
