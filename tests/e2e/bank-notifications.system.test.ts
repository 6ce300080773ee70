// A bank's notifications over HTTP, through the public listener to payments and refunds. The schedules begin a day later,
// so only notifications have the bank asked here.
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { startBank } from "@holdfast/bank-simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeAccount, resultOf } from "../../services/payments/test/account-operators.ts";
import { captureLog, eventually, startTestSystem, type TestSystem } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";

const KEY = "the-key-of-notifications";
const { log, lines } = captureLog("payments");
let system: TestSystem;
let publicUrl: string;
let accounts: { here: string; elsewhere: string };
let merchant: string;

beforeAll(async () => {
  system = await startTestSystem({
    services: ["payments", "refunds", "gateway-public"],
    running: ["payments", "refunds"],
    withBusUsers: true,
    log: () => log,
    env: {
      ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
      ACCOUNT_CHANGES_TWO_PEOPLE: "false",
      RECOVERY_SCHEDULE: "24h",
      RECOVERY_INTERVAL: "20ms",
      ACQUIRER_TIMEOUT: "2s",
    },
  });
  const { port } = (await system.start("gateway-public")) as unknown as { port: number };
  publicUrl = `http://127.0.0.1:${port}`;
  accounts = { here: await simAccount(), elsewhere: await simAccount() };
  merchant = await merchantAt(accounts.here);
});
afterAll(() => system.close());

async function account(body: object): Promise<string> {
  const whole = { name: `bank ${randomUUID()}`, currencies: ["TRY"], ...body };
  return resultOf(await makeAccount(system, whole as never, "alice")).accountId;
}
const simAccount = () =>
  account({
    protocol: "sim",
    settings: { url: system.bank!.acquirer.url },
    secrets: { notificationKey: KEY },
  });
async function merchantAt(accountId: string): Promise<string> {
  const merchantId = randomUUID();
  expect(
    await system.operate(operations.putMerchantRoutes.command, { merchantId, routes: [{ accountId }] }),
  ).toMatchObject({
    outcome: "done",
  });
  return merchantId;
}

async function put(url: string, body: object, method: "PUT" | "POST" = "PUT"): Promise<void> {
  const answer = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}
const simWillNotify = (mode: string, accountId = accounts.here) =>
  put(`${system.bank!.acquirer.url}/notifications`, {
    url: `${publicUrl}/bank-notifications/${accountId}`,
    key: KEY,
    mode,
  });

/** A sale of unknown outcome. */
async function unknownSale(ofMerchant = merchant): Promise<string> {
  const command = system.command({ ofMerchant, cardData: { pan: "5555555555554444" } });
  const context = { merchant: { merchantId: ofMerchant } };
  expect(await system.call(operations.pay.command, command, context)).toMatchObject({ outcome: "pending" });
  return command.paymentId;
}
async function acceptedSale(): Promise<string> {
  await system.bank!.acquirerWill("sale", "pending");
  return await unknownSale();
}
const decide = (reference: string) =>
  put(`${system.bank!.acquirer.url}/decisions`, { reference, outcome: "approved" }, "POST");

async function payment(paymentId: string) {
  const [row] = await system.query<{ state: string; due_in: number | null; attempts: number }>(
    `select state, extract(epoch from recover_at - now())::float8 as due_in, recovery_attempts as attempts
     from payments.payment where payment_id = $1`,
    [paymentId],
  );
  return row!;
}
const succeeds = (paymentId: string) =>
  eventually(async () => (await payment(paymentId)).state === "SUCCESS");

test.each(["on", "twice"])(
  "a bank that notifies (%s) has its decision in use at the next inquiry",
  async (mode) => {
    await simWillNotify(mode);
    const paymentId = await acceptedSale();
    await decide(paymentId);
    await succeeds(paymentId);
    expect(
      (await system.bank!.wholeLedger()).filter(({ reference }) => reference === paymentId),
    ).toHaveLength(1);
  },
);

test("one that comes before the answer of the call that it is about is not lost", async () => {
  await simWillNotify("early");
  await system.bank!.acquirerWill("sale", "hang");
  const paymentId = await unknownSale();
  await succeeds(paymentId);
  expect(await payment(paymentId)).toMatchObject({ state: "SUCCESS", due_in: null });
});

test.each([
  ["is forged", "forged", "here", "a notification proves nothing"],
  ["comes to another account", "on", "elsewhere", "a bank's notification names nothing of its account"],
] as const)("one that %s changes nothing", async (_, mode, where, message) => {
  await simWillNotify(mode, accounts[where]);
  const paymentId = await acceptedSale();
  const before = await payment(paymentId);
  lines.length = 0;
  await decide(paymentId);
  await eventually(async () => lines.some(({ msg }) => msg === message));
  const after = await payment(paymentId);
  expect(after).toMatchObject({ state: "AUTHORIZING", attempts: before.attempts });
  expect(after.due_in).toBeGreaterThan(3_600);
});

test("one that names a refund whose answer was lost has refunds ask about that", async () => {
  const command = system.command({ ofMerchant: merchant, cardData: { pan: "5555555555554444" } });
  const context = { merchant: { merchantId: merchant } };
  const { paymentId } = command;
  expect(await system.call(operations.pay.command, command, context)).toMatchObject({ outcome: "done" });
  const refundId = randomUUID();
  // The last digits have the bank pay it and never answer.
  const refund = { refundId, paymentId, amountMinor: "192", currency: "TRY" };
  expect(await system.call(operations.requestRefund.command, refund, context)).toMatchObject({
    outcome: "done",
  });
  await system.approve(refundId);
  const state = async () =>
    (
      await system.query<{ state: string; waits: boolean }>(
        `select state, lease_until is null and recover_at > now() + interval '1 hour' as waits
         from refunds.refund where refund_id = $1`,
        [refundId],
      )
    )[0]!;
  await eventually(async () => (await state()).waits);
  const body = JSON.stringify({ reference: `${refundId}:refund`, outcome: "approved" });
  const answer = await fetch(`${publicUrl}/bank-notifications/${accounts.here}`, {
    method: "POST",
    headers: { "x-sim-signature": createHmac("sha256", KEY).update(body).digest("hex") },
    body,
  });
  expect(answer.status).toBe(200);
  await eventually(async () => (await state()).state === "SUCCESS");
});

test("iyzico's webhook about a payment whose answer was lost has it asked for, and its own signature counts", async () => {
  const dir = makeTestDirectory();
  const bank = await startBank("iyzico", {
    ledgerFile: join(dir, "ledger.ndjson"),
    webhookDelayMs: 1,
    hangMs: 300,
  });
  try {
    const accountId = await account({
      protocol: "iyzico",
      settings: {
        url: bank.url,
        defaults: {
          email: "orders@shop.example",
          identityNumber: "11111111111",
          ip: "203.0.113.1",
          address: { line1: "Liman Caddesi 1", city: "Izmir", country: "Turkey" },
          item: { name: "Order", category: "Goods", kind: "virtual" },
        },
      },
      secrets: { apiKey: "sandbox-apikey", secretKey: "sandbox-secret" },
    });
    const url = `${publicUrl}/bank-notifications/${accountId}`;
    await put(`${bank.url}/notifications`, { merchantId: "1000001", url });
    const shop = await merchantAt(accountId);
    await put(`${bank.url}/faults`, { operation: "sale", behaviour: "hang" }, "POST");
    await succeeds(await unknownSale(shop));
    await put(`${bank.url}/modes`, { webhooks: "wrong_signature" });
    await put(`${bank.url}/faults`, { operation: "sale", behaviour: "hang" }, "POST");
    lines.length = 0;
    const paymentId = await unknownSale(shop);
    await eventually(async () => lines.some(({ msg }) => msg === "a notification proves nothing"));
    expect(await payment(paymentId)).toMatchObject({ state: "AUTHORIZING" });
    expect((await payment(paymentId)).due_in).toBeGreaterThan(3_600);
  } finally {
    await bank.close();
    await rm(dir, { recursive: true, force: true });
  }
});
