import { randomBytes, randomUUID, randomUUIDv7 } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLive, operations, readSettlingAccounts, testIdOf } from "@holdfast/contracts";
import { startTestBank, type TestBank } from "@holdfast/tests/support";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountOperators, makeAccount, resultOf } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

let payments: PaymentsHarness;
let dir: string;
/** The banks of live accounts, beside the default one, and of test mode. */
let liveBank: TestBank;
let testBank: TestBank;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-test-mode-"));
  [liveBank, testBank] = await Promise.all([
    startTestBank(await mkdtemp(join(dir, "live-"))),
    startTestBank(await mkdtemp(join(dir, "test-"))),
  ]);
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    RECOVERY_INTERVAL: "1h",
  });
});
afterAll(async () => {
  await payments.close();
  await Promise.all([liveBank.acquirer.close(), testBank.acquirer.close()]);
  await rm(dir, { recursive: true });
});

const { as, account } = accountOperators(
  { operate: (...asked) => payments.operate(...asked) },
  () => liveBank.acquirer.url,
);

async function testAccount(given: object = {}): Promise<string> {
  const made = await makeAccount(
    payments,
    {
      livemode: false,
      protocol: "sim",
      name: `test bank ${randomUUID()}`,
      currencies: ["TRY"],
      settings: { url: testBank.acquirer.url },
      secrets: {},
      ...given,
    },
    "alice",
  );
  const { accountId } = resultOf(made);
  resultOf(await as("bora").confirm(accountId, 1));
  return accountId;
}

async function pay(merchantId: string) {
  const command = payments.command({ ofMerchant: merchantId });
  const context = payments.context({ merchant: { merchantId } });
  const isSale = fc.sample(fc.boolean(), 1)[0]!;
  const reply = isSale
    ? await payments.request(operations.pay.command, context, command)
    : await payments.send(command, context);
  if ("result" in reply && !isSale) {
    const capture = { paymentId: command.paymentId, operationId: randomUUID() };
    await payments.request(
      operations.capture.command,
      payments.context({ merchant: { merchantId } }),
      capture,
    );
  }
  return { paymentId: command.paymentId, reply };
}

test("without an account of test mode a test payment is refused, although live ones are paid", async () => {
  const merchantId = randomUUIDv7();
  expect((await pay(testIdOf(merchantId))).reply).toMatchObject({ code: "no_acquirer_account" });
  expect((await pay(merchantId)).reply).toMatchObject({ result: { status: "SUCCESS", livemode: true } });
});

test("an account of test mode says so, is of the simulator's protocol, and is no bank that settles", async () => {
  const refused = await makeAccount(
    payments,
    {
      livemode: false,
      protocol: "nestpay",
      name: "a real bank",
      currencies: ["TRY"],
      settings: {},
      secrets: {},
    },
    "alice",
  );
  expect(refused).toMatchObject({ code: "validation_failed", extra: { errors: [{ field: "protocol" }] } });
  const [liveId, testId] = [await account(), await testAccount()];
  expect([isLive(liveId), isLive(testId)]).toEqual([true, false]);
  const settling = await payments.request(
    readSettlingAccounts,
    { requestId: "r", deadlineAt: Date.now() + 60_000, service: { name: "settlement" } },
    {},
  );
  const ids = resultOf(settling).accounts.map(({ accountId }) => accountId);
  expect(ids).toContain(liveId);
  expect(ids).not.toContain(testId);
});

test("each mode has a default account of its own", async () => {
  const [liveId, first] = [await account({ default: true }), await testAccount({ default: true })];
  const second = await testAccount({ default: true });
  const defaults = await payments.query<{ account_id: string }>(
    "select account_id from payments.acquirer_account where is_default or is_test_default",
  );
  expect(defaults.map(({ account_id }) => account_id).toSorted()).toEqual([liveId, second].toSorted());
  expect(first).not.toBe(second);
});

test("routes name accounts of the merchant's mode", async () => {
  const [liveId, testId] = [await account(), await testAccount()];
  const merchantId = randomUUIDv7();
  const refusal = { code: "validation_failed", extra: { errors: [{ field: "0.accountId" }] } };
  expect(await as("alice").route(merchantId, [{ accountId: testId }])).toMatchObject(refusal);
  expect(await as("alice").route(testIdOf(merchantId), [{ accountId: liveId }])).toMatchObject(refusal);
  expect(await as("alice").route(testIdOf(merchantId), [{ accountId: testId }])).toHaveProperty("result");
});

/** Puts routes in use in this process at once: a change through the service reads all of them again. */
async function plantRoutes(merchantId: string, routes: object[]): Promise<void> {
  await payments.query(
    `insert into payments.merchant_route (merchant_id, version, routes, proposed_by, confirmed_by, confirmed_at)
     values ($1, 1, $2, 'somebody', 'somebody', now())`,
    [merchantId, JSON.stringify(routes)],
  );
  resultOf(await as("alice").route(randomUUIDv7(), []));
}

test("no reference of test mode is ever in a live bank's ledger, nor a live one in the other, under random routes and accounts", async () => {
  const accounts = [await account(), await account({ default: true })];
  accounts.push(await testAccount(), await testAccount({ default: true }));
  accounts.push(await testAccount({ settings: { url: "http://127.0.0.1:1" } }));
  accounts.push(await account({ settings: { url: "http://127.0.0.1:1" } }));
  const route = fc.record(
    { accountId: fc.constantFrom(...accounts), currency: fc.constantFrom("TRY", "EUR") },
    { requiredKeys: ["accountId"] },
  );
  const given = fc.record({ livemode: fc.boolean(), routes: fc.array(route, { maxLength: 4 }) });
  const paid = { live: [] as string[], test: [] as string[] };
  for (const { livemode, routes } of fc.sample(given, 60)) {
    const merchantId = livemode ? randomUUIDv7() : testIdOf(randomUUIDv7());
    // Writes past the check of routes, as a mistake in it would.
    await plantRoutes(merchantId, routes);
    const { paymentId, reply } = await pay(merchantId);
    if ("result" in reply) expect(reply.result.livemode).toBe(livemode);
    paid[livemode ? "live" : "test"].push(paymentId);
  }

  const inLedgers = async (...banks: Pick<TestBank, "wholeLedger">[]) => {
    const lines = (await Promise.all(banks.map((bank) => bank.wholeLedger()))).flat();
    return new Set(lines.map(({ reference }) => reference.slice(0, 36)));
  };
  const [live, tested] = [await inLedgers(payments, liveBank), await inLedgers(testBank)];
  expect(paid.test.filter((paymentId) => live.has(paymentId))).toEqual([]);
  expect(paid.live.filter((paymentId) => tested.has(paymentId))).toEqual([]);
  // Both modes have payments, so that neither list is empty for lack of any.
  expect(paid.live.filter((paymentId) => live.has(paymentId)).length).toBeGreaterThan(5);
  expect(paid.test.filter((paymentId) => tested.has(paymentId)).length).toBeGreaterThan(5);
});

test("the database refuses a payment of one mode at an account of the other, whoever writes it", async () => {
  const [liveId, testId] = [await account({ default: true }), await testAccount({ default: true })];
  const merchantId = randomUUIDv7();
  const { paymentId: livePayment } = await pay(merchantId);
  const { paymentId: testPayment } = await pay(testIdOf(merchantId));
  const move = (paymentId: string, accountId: string) =>
    payments.query("update payments.payment set account_id = $2 where payment_id = $1", [
      paymentId,
      accountId,
    ]);
  await move(livePayment, liveId);
  await move(testPayment, testId);
  const refusal = { constraint: "payment_account_is_of_its_mode" };
  await expect(move(livePayment, testId)).rejects.toMatchObject(refusal);
  await expect(move(testPayment, liveId)).rejects.toMatchObject(refusal);
});

test("the database takes a shop on the developer's machine for a checkout of test mode alone", async () => {
  const merchantId = randomUUIDv7();
  const open = async (ofMerchant: string, successUrl: string) => {
    const { outcome } = await payments.request(
      operations.createCheckout.command,
      payments.context({ merchant: { merchantId: ofMerchant } }),
      {
        checkoutId: randomUUID(),
        orderId: "order-1",
        amountMinor: "1250",
        currency: "TRY",
        successUrl,
        failureUrl: "https://shop.example/failed",
        transactionType: "PAYMENT",
        threeDs: true,
      },
    );
    return outcome;
  };
  expect(await open(testIdOf(merchantId), "http://localhost:3000/paid")).toBe("done");
  expect(await open(testIdOf(merchantId), "http://localhost.shop.example/paid")).not.toBe("done");
  expect(await open(merchantId, "HTTPS://shop.example/paid")).toBe("done");
  expect(await open(merchantId, "http://localhost:3000/paid")).not.toBe("done");
});

test("the database refuses an account of test mode at a bank, and one that is the default of the other mode", async () => {
  const [liveId, testId] = [await account(), await testAccount()];
  const set = (accountId: string, change: string) =>
    payments.query(`update payments.acquirer_account set ${change} where account_id = $1`, [accountId]);
  await set(liveId, "protocol = 'nestpay'");
  await expect(set(testId, "protocol = 'nestpay'")).rejects.toMatchObject({
    constraint: "acquirer_account_test_is_the_simulator",
  });
  const refusal = { constraint: "acquirer_account_default_is_of_its_mode" };
  await expect(set(testId, "is_default = true, is_test_default = false")).rejects.toMatchObject(refusal);
  await expect(set(liveId, "is_test_default = true, is_default = false")).rejects.toMatchObject(refusal);
});
