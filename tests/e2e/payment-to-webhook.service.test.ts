import { EVENT_STREAM, operations } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  checkInvariants,
  emptyLedgers,
  INVARIANTS,
  readRows,
  type HistoryEntry,
  type Ledgers,
} from "../checker/index.ts";
import {
  eventually,
  makeTestCertificates,
  startLedgerReceiver,
  startTestSystem,
  type LedgerReceiver,
  type TestSystem,
} from "../support/index.ts";

// The whole way: payments is asked, its outbox is relayed, the dispatcher delivers; the merchant's ledger witnesses.
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
      OUTBOX_POLL_INTERVAL: "1s",
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
  const reply = await system.operate(operations.putMerchantWebhook.command, payload);
  if (reply.outcome !== "done" || !reply.result.secret) throw new Error(JSON.stringify(reply));
  return recipient.open(reply.result.secret);
}

/** Rows, receiver and, as the answer of a GET, the record of each payment. */
async function ledgers(secret: string): Promise<Ledgers> {
  const rows = await readRows((text) => system.query(text));
  const history = await Promise.all(rows.payments.map(({ paymentId }) => readAsMerchant(paymentId)));
  const rules = {
    receivers: [{ merchantId: system.merchantId, path: "/webhooks", secrets: [secret] }],
    retryDelaysMs: [30_000],
  };
  return { ...emptyLedgers(rules), ...rows, history, received: receiver.ledger };
}

async function readAsMerchant(paymentId: string): Promise<HistoryEntry> {
  const reply = await system.call(operations.getPayment.command, { paymentId });
  if (reply.outcome !== "done") throw new Error(`${paymentId}: ${reply.outcome}`);
  return {
    sequence: 1,
    merchantId: system.merchantId,
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

/** The invariants that need neither a bank's ledger nor the merchant's requests. */
const JUDGED = INVARIANTS.filter(
  ({ subject, number }) => subject === "webhooks" || number === 8 || number === 23 || number === 25,
);

test("every final state is delivered once, signed, true to the payment, and both sides agree; JetStream's data deleted mid-run", async () => {
  const secret = await turnOn();
  const cards = ["4111111111111111", "4000000000000002", "5555555555554444"];
  const pay = (index: number) =>
    system.call(operations.preAuthorize.command, system.command({ cardData: { pan: cards[index % 3]! } }));
  await Promise.all(Array.from({ length: 15 }, (_, index) => pay(index)));
  await (await jetstreamManager(system.bus.nats)).streams.delete(EVENT_STREAM.name);
  await Promise.all(Array.from({ length: 15 }, (_, index) => pay(index)));
  // The dispatcher is away for a moment: events of that time wait in the outbox.
  await dispatcher.stop();
  await Promise.all(Array.from({ length: 6 }, (_, index) => pay(index)));
  dispatcher = await system.start("webhook-dispatcher");

  await eventually(async () => {
    const [row] = await system.query(
      "select count(*)::int as count from webhooks.outcome where outcome = 'delivered'",
    );
    expect(row).toEqual({ count: 36 });
  });
  await eventually(async () => expect(checkInvariants(await ledgers(secret), JUDGED)).toEqual([]));
  const { outbox } = await ledgers(secret);
  expect(outbox).toHaveLength(36);
  expect(new Set(outbox.map(({ status }) => status))).toEqual(new Set(["SUCCESS", "FAILED"]));
});
