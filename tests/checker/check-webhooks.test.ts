import { createHmac, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  checkOutbox,
  checkWebhooks,
  type FinalState,
  type LedgerEntry,
  type OutboxEvidence,
  type WebhookEvidence,
} from "./check-webhooks.ts";

const T = 1_790_000_000_000;
const secret = "whs_secret";
const eventId = "0199aaaa-0000-7000-8000-000000000001";
const paymentId = randomUUID();
const record = { paymentId, status: "SUCCESS", amount: 12.5 };
const final: FinalState = {
  eventId,
  merchantId: randomUUID(),
  paymentId,
  status: "SUCCESS",
  committedAt: T,
  record,
};

type Change = Partial<LedgerEntry> & { time?: number; key?: string; eventId?: string; content?: object };

function entry({ time, key = secret, eventId: id = eventId, content, ...change }: Change = {}): LedgerEntry {
  const arrivedAt = change.arrivedAt ?? T + 20;
  const requestTime = String(time ?? arrivedAt - 5);
  const body = Buffer.from(
    JSON.stringify(content ?? { ...record, transactionType: "PAYMENT", cardSubType: "CLASSIC" }),
  );
  const signature = createHmac("sha256", key).update(`${requestTime}:`).update(body).digest("hex");
  const headers = {
    "x-request-time": requestTime,
    "x-request-signature": signature,
    "x-event-id": id,
    "x-event-type": "payment.status_changed",
  };
  return { arrivedAt, path: "/webhooks", headers, body, answered: 200, ...change };
}

const evidence = (ledger: LedgerEntry[], change: Partial<WebhookEvidence> = {}): WebhookEvidence => ({
  ledger,
  finals: [final],
  rules: {
    delaysMs: [30_000, 60_000],
    windowMs: 100_000,
    secrets: [{ merchantId: final.merchantId, path: "/webhooks", secrets: [secret] }],
  },
  ...change,
});
const full = { ...record, transactionType: "PAYMENT", cardSubType: "CLASSIC" };
const failure = { answered: 500 };

test("a run without fault has none", () => {
  expect(checkWebhooks(evidence([entry()]))).toEqual([]);
  expect(checkWebhooks(evidence([entry(failure), entry({ arrivedAt: T + 30_100 })]))).toEqual([]);
  const all = [
    entry(failure),
    entry({ ...failure, arrivedAt: T + 30_100 }),
    entry({ ...failure, arrivedAt: T + 90_200 }),
  ];
  expect(checkWebhooks(evidence(all, { failed: [eventId] }))).toEqual([]);
});

const mutants: [name: string, broken: WebhookEvidence, invariant: string][] = [
  ["an event that never came", evidence([]), "14"],
  ["an event that was never answered 2xx", evidence([entry(failure)]), "14"],
  ["failed too early", evidence([entry(failure)], { failed: [eventId] }), "14"],
  ["another secret", evidence([entry({ key: "whs_other" })]), "15"],
  [
    "a body that was changed after signing",
    evidence([{ ...entry(), body: Buffer.from(`${JSON.stringify(full)} `) }]),
    "15",
  ],
  ["a signature of the first attempt's time", evidence([entry({ time: T - 30_000 })]), "15"],
  [
    "two bodies",
    evidence([entry(failure), entry({ arrivedAt: T + 30_100, content: { ...full, orderId: "x" } })]),
    "16",
  ],
  [
    "two event ids for a state",
    evidence([entry(), entry({ eventId: randomUUID(), arrivedAt: T + 30_100 })]),
    "16",
  ],
  ["another amount than the payment's", evidence([entry({ content: { ...full, amount: 1 } })]), "17"],
  ["no card sub-type", evidence([entry({ content: { ...record, transactionType: "PAYMENT" } })]), "17"],
  ["before the commit", evidence([entry({ arrivedAt: T - 10 })]), "18"],
  ["a state that is not final", evidence([entry({ content: { ...full, status: "CAPTURED" } })]), "18"],
  ["an event nobody committed", evidence([entry()], { finals: [] }), "18"],
  ["a retry too early", evidence([entry(failure), entry({ arrivedAt: T + 29_000 })]), "19"],
  ["a retry too late", evidence([entry(failure), entry({ arrivedAt: T + 50_000 })]), "19"],
  ["again after a success", evidence([entry(), entry({ arrivedAt: T + 30_100 })]), "19"],
  [
    "an attempt after the deadline",
    evidence(
      [entry(failure), entry({ ...failure, arrivedAt: T + 30_100 }), entry({ arrivedAt: T + 103_000 })],
      { mayBeLate: true },
    ),
    "19",
  ],
];

test.each(mutants)("%s is found", (_name, broken, invariant) => {
  const found = checkWebhooks(broken);
  expect(found.map((line) => line.split(":")[0])).toContain(invariant);
});

const outbox: OutboxEvidence = {
  finalRows: [{ paymentId, status: "SUCCESS", xactId: "7" }],
  outbox: [{ eventId, paymentId, status: "SUCCESS", xactId: "7", confirmed: true }],
  dispatcherEventIds: [eventId],
};

test("an outbox that agrees has no fault; each disagreement is found", () => {
  expect(checkOutbox(outbox)).toEqual([]);
  const row = outbox.outbox[0]!;
  expect(checkOutbox({ ...outbox, outbox: [] })).toContainEqual(expect.stringMatching(/^23.*0 outbox rows$/));
  expect(checkOutbox({ ...outbox, outbox: [{ ...row, xactId: "8" }] })).toContainEqual(
    expect.stringMatching(/^23.*two tr/),
  );
  expect(checkOutbox({ ...outbox, finalRows: [] })).toContainEqual(expect.stringMatching(/^23/));
  expect(checkOutbox({ ...outbox, outbox: [{ ...row, confirmed: false }] })).toContainEqual(
    expect.stringMatching(/^24.*not conf/),
  );
  expect(checkOutbox({ ...outbox, dispatcherEventIds: [] })).toContainEqual(
    expect.stringMatching(/^24.*lacks/),
  );
  expect(checkOutbox({ ...outbox, dispatcherEventIds: [eventId, "x"] })).toContainEqual(
    expect.stringMatching(/^24.*owner/),
  );
});
