import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations, type OrderDetails } from "@holdfast/contracts";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { armFailpoints, type Failpoint } from "@holdfast/service-runtime";
import { eventually, startTestBank, type TestBank } from "@holdfast/tests/support";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountOperators, resultOf } from "../../../test/account-operators.ts";
import { checkouts } from "../../../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import { FRICTIONLESS, threeDs } from "../../../test/three-ds-harness.ts";

/** Two banks; a decline of the first is tried once more at the second. */
let payments: PaymentsHarness;
let dir: string;
let second: TestBank;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-retry-"));
  second = await startTestBank(dir);
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    ACCOUNT_REFRESH: "50ms",
    RECOVERY_SCHEDULE: "50ms,100ms,200ms",
    RECOVERY_INTERVAL: "20ms",
  });
});
afterEach(async () => {
  armFailpoints(undefined);
  await payments.acquirerWillBehave();
  await second.acquirerWillBehave();
});
afterAll(async () => {
  await payments.close();
  await second.acquirer.close();
  await rm(dir, { recursive: true });
});

const { as, account, merchantRoutedTo } = accountOperators(
  { operate: (...asked) => payments.operate(...asked) },
  () => second.acquirer.url,
);

const accountAtFirst = () => account({ settings: { url: payments.acquirer.url } });

/** A merchant whose soft declines at the first account are retried at a second one. */
async function retryingMerchant(next: object = {}) {
  const [one, other] = [await accountAtFirst(), await account(next)];
  const merchantId = await merchantRoutedTo(
    { accountId: one, retrySoftDeclines: true },
    { accountId: other },
  );
  return { merchantId, one, other };
}

const INSUFFICIENT_FUNDS = { cardData: { pan: "4000000000009995" } };

function commandOf(merchantId: string, given: object = {}, details?: OrderDetails) {
  const command = payments.command({ ofMerchant: merchantId, ...given });
  const binding = { paymentId: command.paymentId, merchantId };
  return { ...command, ...(details && { details: payments.sealer.sealDetails(details, binding) }) };
}

async function pay(merchantId: string, given: object = {}, details?: OrderDetails) {
  const command = commandOf(merchantId, given, details);
  const reply = await payments.send(command, payments.context({ merchant: { merchantId } }));
  return { paymentId: command.paymentId, reply };
}

const linesAt = async (bank: Pick<TestBank, "wholeLedger">, paymentId: string) =>
  (await bank.wholeLedger())
    .filter(({ reference }) => reference.startsWith(paymentId))
    .map(({ operation, outcome }) => `${operation} ${outcome}`);

/** The lines of both banks, the ledger of calls, the states and the events of a payment. */
async function storyOf(paymentId: string) {
  const lines = async (statement: string) =>
    (await payments.query<{ line: string }>(statement, [paymentId])).map(({ line }) => line);
  const calls = await payments.query<{ account_id: string; outcome: string | null; code: string | null }>(
    "select account_id, outcome, result_code as code from payments.bank_call where payment_id = $1 order by number",
    [paymentId],
  );
  return {
    first: await linesAt(payments, paymentId),
    second: await linesAt(second, paymentId),
    calls: calls.map(({ account_id, outcome, code }) => [account_id, outcome, code]),
    states: await lines(
      "select to_state || ' ' || cause as line from payments.payment_history where payment_id = $1 order by version",
    ),
    events: await lines("select status as line from payments.outbox where payment_id = $1 order by event_id"),
    account: (await lines("select account_id::text as line from payments.payment where payment_id = $1"))[0],
  };
}

const declineAtFirst = () => payments.acquirerWill("authorize", "decline");

test("a soft decline is tried once at the next account; merchants get one outcome, and operators see both calls", async () => {
  const { merchantId, one, other } = await retryingMerchant();
  await declineAtFirst();
  const { paymentId, reply } = await pay(merchantId);
  expect(reply).toMatchObject({ outcome: "done", result: { status: "SUCCESS", resultCode: "00" } });
  expect(await storyOf(paymentId)).toEqual({
    first: ["authorize declined"],
    second: ["authorize approved"],
    calls: [
      [one, "declined", "05"],
      [other, "approved", "00"],
    ],
    states: ["AUTHORIZING claimed", "SUCCESS approved"],
    events: ["SUCCESS"],
    account: other,
  });
  // Recovery counts its times from the second call.
  const [row] = await payments.query<{ is_later: boolean }>(
    "select recovery_from > created_at as is_later from payments.payment where payment_id = $1",
    [paymentId],
  );
  expect(row).toEqual({ is_later: true });
  expect(await payments.operate(operations.getOperatorPayment.command, { paymentId })).toMatchObject({
    result: {
      accountId: other,
      bankCalls: [
        { number: 1, accountId: one, outcome: "DECLINED", resultCode: "05", resultMessage: "Do not honour" },
        { number: 2, accountId: other, outcome: "APPROVED" },
      ],
    },
  });
});

test("a decline at the second account is the payment's, and the last", async () => {
  const { merchantId, one, other } = await retryingMerchant();
  await declineAtFirst();
  const { paymentId, reply } = await pay(merchantId, INSUFFICIENT_FUNDS);
  expect(reply).toMatchObject({ result: { status: "FAILED", resultCode: "51", declineClass: "limit" } });
  expect(await storyOf(paymentId)).toMatchObject({
    calls: [
      [one, "declined", "05"],
      [other, "declined", "51"],
    ],
    events: ["FAILED"],
  });
});

test("a second account that is not reached leaves the first one's decline; a third is asked as in failover", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { merchantId, one, other } = await retryingMerchant({ settings: { url } });
  await declineAtFirst();
  const { paymentId, reply } = await pay(merchantId);
  expect(reply).toMatchObject({ result: { status: "FAILED", resultCode: "05", declineClass: "soft" } });
  expect(await storyOf(paymentId)).toMatchObject({
    second: [],
    calls: [
      [one, "declined", "05"],
      [other, "not_sent", null],
    ],
    states: ["AUTHORIZING claimed", "FAILED declined"],
  });

  const third = await account();
  const routes = [
    { accountId: one, retrySoftDeclines: true },
    { accountId: other, retrySoftDeclines: true },
    { accountId: third },
  ];
  await declineAtFirst();
  const moved = await pay(await merchantRoutedTo(...routes));
  expect(moved.reply).toMatchObject({ result: { status: "SUCCESS" } });
  expect(await storyOf(moved.paymentId)).toMatchObject({
    first: ["authorize declined"],
    second: ["authorize approved"],
    account: third,
  });
});

test("an unknown outcome at the second account stays unknown, and is recovered there", async () => {
  const { merchantId, one, other } = await retryingMerchant();
  await declineAtFirst();
  await second.acquirerWill("authorize", "hang");
  await second.acquirerWill("inquire", "http_500", 3);
  const { paymentId, reply } = await pay(merchantId);
  expect(reply).toMatchObject({ outcome: "pending", result: { status: "ENROLLED" } });
  await eventually(async () => (await storyOf(paymentId)).events.length > 0);
  expect(await storyOf(paymentId)).toMatchObject({
    first: ["authorize declined"],
    second: ["authorize approved"],
    calls: [
      [one, "declined", "05"],
      [other, "approved", "00"],
    ],
    states: ["AUTHORIZING claimed", "SUCCESS inquiry_approved"],
    events: ["SUCCESS"],
  });
});

test("a decline after which the second call cannot be written is the payment's", async () => {
  const { merchantId, one } = await retryingMerchant();
  await declineAtFirst();
  await payments.query("alter table payments.bank_call add constraint one_call check (number = 1) not valid");
  const payOnce = async () => {
    try {
      return await pay(merchantId);
    } finally {
      await payments.query("alter table payments.bank_call drop constraint one_call");
    }
  };
  const { paymentId, reply } = await payOnce();
  expect(reply).toMatchObject({ outcome: "done", result: { status: "FAILED", resultCode: "05" } });
  expect(await storyOf(paymentId)).toEqual({
    first: ["authorize declined"],
    second: [],
    calls: [[one, "declined", "05"]],
    states: ["AUTHORIZING claimed", "FAILED declined"],
    events: ["FAILED"],
    account: one,
  });
});

describe("not tried again is", () => {
  test("a soft decline where the route does not say so", async () => {
    const merchantId = await merchantRoutedTo(
      { accountId: await accountAtFirst() },
      { accountId: await account() },
    );
    await declineAtFirst();
    const { paymentId, reply } = await pay(merchantId);
    expect(reply).toMatchObject({ result: { status: "FAILED", resultCode: "05" } });
    expect(await linesAt(second, paymentId)).toEqual([]);
  });

  test("a decline of another class, and an unknown outcome", async () => {
    const { merchantId } = await retryingMerchant();
    const declined = await pay(merchantId, INSUFFICIENT_FUNDS);
    expect(declined.reply).toMatchObject({ result: { status: "FAILED", resultCode: "51" } });
    expect(await linesAt(second, declined.paymentId)).toEqual([]);
    await payments.acquirerWill("authorize", "reset");
    const { paymentId } = await pay(merchantId);
    await eventually(async () => (await storyOf(paymentId)).events.length > 0);
    expect(await linesAt(second, paymentId)).toEqual([]);
  });

  test.each<NonNullable<OrderDetails["initiator"]>>([
    { by: "merchant", channel: "unscheduled" },
    { by: "merchant", channel: "ecommerce" },
    { by: "cardholder", channel: "recurring" },
  ])("a payment begun by the $by ($channel)", async (initiator) => {
    const { merchantId } = await retryingMerchant();
    await declineAtFirst();
    const { paymentId, reply } = await pay(merchantId, {}, { initiator });
    expect(reply).toMatchObject({ result: { status: "FAILED", resultCode: "05" } });
    expect(await linesAt(second, paymentId)).toEqual([]);
  });

  test("a payment with 3-D Secure, declined at the enrolment or at the authorization", async () => {
    const { merchantId } = await retryingMerchant();
    const steps = threeDs(payments);
    for (const [call, resultCode] of [
      ["enrol", "authentication_failed"],
      ["complete", "05"],
    ] as const) {
      await payments.acquirerWill(call, "decline");
      const command = steps.command(FRICTIONLESS, commandOf(merchantId, { cardData: { pan: FRICTIONLESS } }));
      const reply = await steps.enrol(command, { merchant: { merchantId } });
      expect(reply).toMatchObject({ result: { status: "FAILED", resultCode } });
      expect(await linesAt(second, command.paymentId)).toEqual([]);
    }
  });
});

test.each<[string, { initiator?: OrderDetails["initiator"] }]>([
  ["on the internet", { initiator: { by: "cardholder", channel: "ecommerce" } }],
  ["by telephone", { initiator: { by: "cardholder", channel: "moto" } }],
])("a buyer who is there %s is tried again", async (_, details) => {
  const { merchantId } = await retryingMerchant();
  await declineAtFirst();
  expect((await pay(merchantId, {}, details)).reply).toMatchObject({ result: { status: "SUCCESS" } });
});

test("so is the buyer of a hosted checkout, whose attempt is one", async () => {
  const routes = [
    { accountId: await accountAtFirst(), retrySoftDeclines: true },
    { accountId: await account() },
  ];
  await as("alice").route(payments.merchantId, routes);
  await as("bora").confirmRoutes(payments.merchantId, 1);
  const pages = checkouts(payments);
  const checkoutId = await pages.open();
  await payments.acquirerWill("sale", "decline");
  expect(await pages.pay(checkoutId)).toMatchObject({ outcome: "done", result: { status: "COMPLETED" } });
  const [paid, ...more] = await pages.paymentsOf(checkoutId);
  expect(more).toEqual([]);
  expect(await storyOf(paid!.payment_id)).toMatchObject({
    first: ["sale declined"],
    second: ["sale approved"],
    events: ["SUCCESS"],
  });
});

describe("a process that dies", () => {
  /** Stops the work at a point, as a death would, and has recovery take the payment over. */
  async function dieAt(point: Failpoint, ago = "0 s") {
    const { merchantId, one, other } = await retryingMerchant();
    await declineAtFirst();
    const hits = armFailpoints(`${point}:hang@1`);
    const command = commandOf(merchantId);
    void payments.send(command, payments.context({ merchant: { merchantId } })).catch(() => {});
    await eventually(() => hits(point) > 0);
    await payments.query(
      `update payments.payment set lease_until = now(), recover_at = now(), created_at = created_at - $2::interval,
        recovery_from = recovery_from - $2::interval where payment_id = $1`,
      [command.paymentId, ago],
    );
    const { paymentId } = command;
    await eventually(async () => (await storyOf(paymentId)).events.length > 0);
    return { paymentId, one, other, story: await storyOf(paymentId) };
  }

  test("with the decline, before it has written anything: the payment ends by that decline, and is not tried again", async () => {
    const { one, story } = await dieAt("payments.before_failover");
    expect(story).toMatchObject({
      second: [],
      calls: [[one, "declined", "05"]],
      states: ["AUTHORIZING claimed", "FAILED inquiry_declined"],
      events: ["FAILED"],
    });
  });

  test("before the second call: the second account is asked, and binds what it has not seen", async () => {
    const { paymentId, one, other, story } = await dieAt("payments.after_failover", "1 h");
    expect(story).toMatchObject({
      first: ["authorize declined"],
      second: ["reverse approved"],
      states: ["AUTHORIZING claimed", "REVERSING not_found", "FAILED reversed"],
      events: ["FAILED"],
      account: other,
    });
    // The payment ends without the first one's code, which the ledger of calls keeps for support.
    expect(story.calls[0]).toEqual([one, "declined", "05"]);
    const shown = await payments.operate(operations.getOperatorPayment.command, { paymentId });
    expect(resultOf(shown).bankCalls?.[0]).toMatchObject({
      number: 1,
      accountId: one,
      outcome: "DECLINED",
      resultCode: "05",
      resultMessage: "Do not honour",
    });
  });

  test("with the second one's approval: it is adopted there", async () => {
    const { one, other, story } = await dieAt("payments.after_acquirer");
    expect(story).toEqual({
      first: ["authorize declined"],
      second: ["authorize approved"],
      calls: [
        [one, "declined", "05"],
        [other, "approved", "00"],
      ],
      states: ["AUTHORIZING claimed", "SUCCESS inquiry_approved"],
      events: ["SUCCESS"],
      account: other,
    });
  });

  test("when the end is recorded: nothing is left to do", async () => {
    const { story } = await dieAt("payments.after_record");
    expect(story).toMatchObject({ second: ["authorize approved"], events: ["SUCCESS"] });
  });
});

describe("routes that retry are refused", () => {
  const refused = (index: number) => ({
    code: "validation_failed",
    extra: { errors: [{ field: `${index}.retrySoftDeclines`, code: "no_account_follows" }] },
  });

  test("with one account, and with a second one at the same bank", async () => {
    const accountId = await account();
    const route = { accountId, retrySoftDeclines: true };
    const { merchantId } = payments;
    expect(await as("alice").route(merchantId, [route])).toMatchObject(refused(0));
    expect(await as("alice").route(merchantId, [route, { accountId }])).toMatchObject(refused(0));
    const sameBank = [route, { accountId: await account() }];
    expect(await as("alice").route(merchantId, sameBank)).toMatchObject(refused(0));
  });

  test("with accounts of other currencies", async () => {
    const euros = await account({ currencies: ["EUR"], settings: { url: payments.acquirer.url } });
    const routes = [{ accountId: await account(), retrySoftDeclines: true }, { accountId: euros }];
    expect(await as("alice").route(payments.merchantId, routes)).toMatchObject(refused(0));
  });
});
