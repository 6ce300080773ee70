// At iyzico a capture has the payment's id, an order may have several payments, and a refund is spread over
// the items of a basket. iyzico's own client reads the results of our adapter, and our adapter reads the
// results of that client.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  inquireAbout,
  orderIdOf,
  type Attempt,
  type CardRequest,
  type FollowUpRequest,
  type ProbedAcquirer,
} from "@holdfast/acquirer";
import { CONNECTORS } from "@holdfast/banks";
import { startBank, type Simulator } from "@holdfast/bank-simulator";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

type Answer = Record<string, unknown>;
type Client = Record<
  string,
  Record<string, (request: object, done: (error: Error | null, answer: Answer) => void) => void>
>;
// The package is CommonJS, and its types are older than its code.
const Iyzipay = createRequire(import.meta.url)("iyzipay") as new (options: object) => Client;

const KEYS = { apiKey: "sandbox-key", secretKey: "sandbox-secret" };
const soon = () => new Date(Date.now() + 60_000);

let folder: string;
let bank: Simulator;
let acquirer: ProbedAcquirer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "iyzico-names-"));
  const merchants = [{ ...KEYS, merchantId: "9001" }];
  // A business day that does not end while the tests run.
  const machineNow = () => Date.parse("2030-06-15T12:00:00Z");
  bank = await startBank("iyzico", { ledgerFile: join(folder, "ledger.ndjson"), merchants, machineNow });
  const address = { line1: "Harbour Street 1", city: "Izmir", country: "Turkey" };
  const defaults = {
    email: "orders@shop.example",
    identityNumber: "11111111111",
    ip: "203.0.113.1",
    address,
  };
  const connector = CONNECTORS.get("iyzico")!;
  acquirer = connector.connect(
    {
      accountId: "account-1",
      version: 1,
      settings: connector.settings.parse({ url: bank.url, defaults }),
      businessDay: { timeZone: "Europe/Istanbul", cutOff: "00:00" },
    },
    KEYS,
    { connectionsMax: 4, connectTimeoutMs: 60_000, allowPlaintext: true },
  );
});
afterAll(async () => {
  await acquirer?.close();
  await bank?.close();
  await rm(folder, { recursive: true });
});

/** The client keeps a request's body in the object, so each call has a client of its own. */
function client(resource: string, verb: "create" | "retrieve", request: object): Promise<Answer> {
  const iyzipay = new Iyzipay({ uri: bank.url, ...KEYS });
  return new Promise((resolve, reject) => {
    iyzipay[resource]![verb]!(request, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

type Refund = { refundConversationId: string; refundPrice: number; refundTxId: string };
type Reported = {
  paymentId: string;
  paidPrice: number;
  cancels: { cancelConversationId: string; refundPrice: number }[];
  itemTransactions: { paymentTransactionId: string; refunds: Refund[] }[];
};

/** An order's payments, as iyzico's client reads them. */
async function reported(orderId: string): Promise<Reported[]> {
  const answer = await client("reportingTransactionDetails", "retrieve", { paymentConversationId: orderId });
  return answer["payments"] as Reported[];
}

/** A payment of 100.00 for two items, of 60.00 and 40.00. */
function cardRequest(orderId?: string): CardRequest {
  const reference = randomUUID();
  const item = { name: "Goods", category: "Goods", kind: "virtual" } as const;
  return {
    reference,
    orderId: orderId ?? orderIdOf(reference),
    amountMinor: 10_000n,
    currency: "TRY",
    card: { pan: "5528790000000008", expiryMonth: "12", expiryYear: "2030", cvv: "739" },
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
    basket: [
      { ...item, id: "first", amountMinor: 6_000n },
      { ...item, id: "second", amountMinor: 4_000n },
    ],
    expiresAt: soon(),
  };
}

async function authorized(orderId?: string) {
  const request = cardRequest(orderId);
  const outcome = await acquirer.authorize(request);
  if (outcome.kind !== "approved") throw new Error(`the authorization is ${outcome.kind}`);
  return { request, paymentId: outcome.externalTransactionId };
}

type Held = Awaited<ReturnType<typeof authorized>>;

function followUp({ request, paymentId }: Held, amountMinor: bigint, capturedMinor = 0n): FollowUpRequest {
  return {
    reference: `${request.reference}:${randomUUID()}`,
    orderId: request.orderId,
    parentReference: request.reference,
    amountMinor,
    currency: "TRY",
    target: { externalTransactionId: paymentId, amountMinor: 10_000n, capturedMinor, at: new Date() },
    waitUntil: soon(),
  };
}

async function verdict(
  { request }: Held,
  kind: Attempt["kind"],
  follow: FollowUpRequest,
  of: Partial<Attempt> = {},
) {
  const { reference, amountMinor, currency } = follow;
  const order = { orderId: request.orderId, operation: "authorize" } as const;
  const attempt = { reference, kind, amountMinor, currency, ...of };
  return (await inquireAbout(acquirer, order, attempt, soon())).verdict;
}

test("a capture has the payment's id, and a void after it ends that payment and no other of its order", async () => {
  const held = await authorized();
  const other = await authorized(held.request.orderId);
  const capture = followUp(held, 6_000n);
  expect(await acquirer.capture(capture)).toMatchObject({
    kind: "approved",
    amountMinor: 6_000n,
    externalTransactionId: held.paymentId,
  });
  const cancel = followUp(held, 6_000n, 6_000n);
  expect(await acquirer.cancel(cancel)).toMatchObject({ kind: "approved", amountMinor: 6_000n });

  const payments = await reported(held.request.orderId);
  const cancelsOf = (paymentId: string) =>
    payments.find((payment) => payment.paymentId === paymentId)?.cancels;
  expect(cancelsOf(held.paymentId)).toMatchObject([
    { cancelConversationId: cancel.reference, refundPrice: 60 },
  ]);
  expect(cancelsOf(other.paymentId)).toEqual([]);

  const targetTransactionId = held.paymentId;
  expect(await verdict(held, "void", cancel, { targetTransactionId })).toMatchObject({ kind: "approved" });
  // The same payment's other void is done with it; the other payment's is not.
  const second = { ...cancel, reference: `${cancel.reference}:2` };
  expect(await verdict(held, "void", second, { targetTransactionId })).toMatchObject({ kind: "approved" });
  const ofOther = { targetTransactionId: other.paymentId };
  expect(await verdict(other, "void", second, ofOther)).toEqual({ kind: "not_found" });
});

test("a sale in installments is charged more than its basket, and all of that can be refunded", async () => {
  const amountMinor = 10_375n;
  const request = { ...cardRequest(), amountMinor, installmentCount: 3 };
  const outcome = await acquirer.sale(request);
  expect(outcome).toMatchObject({ kind: "approved", amountMinor });
  if (outcome.kind !== "approved") return;
  const held = { request, paymentId: outcome.externalTransactionId };
  const [payment] = await reported(request.orderId);
  expect(payment).toMatchObject({ paidPrice: 103.75 });
  const sale = { orderId: request.orderId, operation: "sale" } as const;
  const attempt = { reference: request.reference, kind: "sale", amountMinor, currency: "TRY" } as const;
  expect((await inquireAbout(acquirer, sale, attempt, soon())).verdict).toMatchObject({
    kind: "approved",
    amountMinor,
  });
  const target = { externalTransactionId: held.paymentId, amountMinor, at: new Date() };
  const refund = { ...followUp(held, amountMinor), target };
  expect(await acquirer.refund(refund)).toMatchObject({ kind: "approved", amountMinor });
});

test("refunds are of their payment's items, each by its own reference and the same name in answer and inquiry", async () => {
  const held = await authorized();
  const other = await authorized();
  for (const each of [held, other])
    expect(await acquirer.capture(followUp(each, 10_000n))).toMatchObject({ kind: "approved" });
  const refunds = [followUp(held, 7_000n, 10_000n), followUp(held, 1_000n, 10_000n)];
  const names = [];
  for (const refund of refunds) {
    const outcome = await acquirer.refund(refund);
    if (outcome.kind !== "approved") throw new Error(`the refund is ${outcome.kind}`);
    names.push(outcome.externalTransactionId);
  }
  expect(new Set([...names, held.paymentId, ""]).size).toBe(4);

  const [before] = await reported(held.request.orderId);
  const spread = before!.itemTransactions.map(({ refunds: parts }) =>
    parts.map(({ refundConversationId, refundPrice }) => [refundConversationId, refundPrice]),
  );
  const [whole, part] = refunds.map(({ reference }) => reference);
  expect(spread).toEqual([
    [[whole, 60]],
    [
      [whole, 10],
      [part, 10],
    ],
  ]);
  const [untouched] = await reported(other.request.orderId);
  expect(untouched!.itemTransactions.flatMap((item) => item.refunds)).toEqual([]);

  // Somebody refunds the rest of an item at iyzico's panel, by that item's own id.
  const { paymentTransactionId } = before!.itemTransactions[1]!;
  const stranger = { locale: "tr", conversationId: "panel-1", ip: "203.0.113.7", currency: "TRY" };
  await client("refund", "create", { ...stranger, paymentTransactionId, price: 20 });
  const shown = await Promise.all(refunds.map((refund) => verdict(held, "refund", refund)));
  expect(shown).toMatchObject([
    { kind: "approved", amountMinor: 7_000n, externalTransactionId: names[0] },
    { kind: "approved", amountMinor: 1_000n, externalTransactionId: names[1] },
  ]);
  const unsent = { ...refunds[0]!, reference: `${randomUUID()}:refund` };
  expect(await verdict(held, "refund", unsent)).toEqual({ kind: "not_found" });
});

test.each(["both", "answer_only", "record_only", "differ"])(
  "the second of two equal refunds is believed once reporting shows it, where the bank names refunds in %s",
  async (refundNames) => {
    const setModes = async (modes: object) => {
      const headers = { "content-type": "application/json" };
      const { ok } = await fetch(`${bank.url}/modes`, {
        method: "PUT",
        headers,
        body: JSON.stringify(modes),
      });
      expect(ok).toBe(true);
    };
    onTestFinished(() => setModes({ duplicateWindowSeconds: 0, refundNames: "both" }));
    const held = await authorized();
    expect(await acquirer.capture(followUp(held, 10_000n))).toMatchObject({ kind: "approved" });
    await setModes({ duplicateWindowSeconds: 3_600, refundNames });
    const [first, second] = [followUp(held, 5_000n, 10_000n), followUp(held, 5_000n, 10_000n)];
    const references = async () => {
      const [payment] = await reported(held.request.orderId);
      const parts = payment!.itemTransactions.flatMap((item) => item.refunds);
      return parts.map(({ refundConversationId }) => refundConversationId);
    };
    const outcome = await acquirer.refund(first);
    expect(outcome).toMatchObject({ kind: "approved", amountMinor: 5_000n });
    expect(await verdict(held, "refund", first)).toEqual(outcome);

    expect(await acquirer.refund(second)).toEqual({ kind: "unknown", reason: "pending" });
    expect(await verdict(held, "refund", second)).toEqual({ kind: "not_found" });
    expect(await references()).toEqual([first.reference]);

    await setModes({ duplicateWindowSeconds: 0 });
    expect(await acquirer.refund(second)).toMatchObject({ kind: "approved", amountMinor: 5_000n });
    expect(await references()).toEqual([first.reference, second.reference, second.reference]);
  },
);
