import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agreeToRefund, carryOutRefundAtBank, operations, reserveRefund } from "@holdfast/contracts";
import { eventually, startTestBank, type TestBank } from "@holdfast/tests/support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accountOperators, resultOf } from "../../../test/account-operators.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";

/**
 * The late arrival of calls and the end of the day are the account's. Accounts here have the contrary of the
 * installation's terms: calls arrive an hour late there, and its day has ended since a sale of six hours ago.
 */
let payments: PaymentsHarness;
let dir: string;
let bank: TestBank;

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString().slice(11, 16);
/** A day that has begun twelve hours ago, and one that has begun three hours ago. */
const LONG_DAY = { timeZone: "UTC", cutOff: hoursAgo(12) };
const YOUNG_DAY = { timeZone: "UTC", cutOff: hoursAgo(3) };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-terms-"));
  bank = await startTestBank(dir, { bindsUnseen: false, repetition: "none" });
  payments = await startPaymentsHarness({
    ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`,
    ACQUIRER_LATE_ARRIVAL: "1h",
    BUSINESS_TIME_ZONE: YOUNG_DAY.timeZone,
    BUSINESS_DAY_CUT_OFF: YOUNG_DAY.cutOff,
    RECOVERY_SCHEDULE: Array.from({ length: 40 }, (_, index) => `${(index + 1) * 200}ms`).join(","),
    RECOVERY_INTERVAL: "30ms",
    REVERSE_UNSEEN_AFTER: "200ms",
  });
});
afterAll(async () => {
  await payments.close();
  await bank.acquirer.close();
  await rm(dir, { recursive: true });
});

const operators = accountOperators(
  { operate: (...asked) => payments.operate(...asked) },
  () => bank.acquirer.url,
);
/** A merchant of an account whose bank carries out every copy of a request. */
async function merchantOf(terms: object): Promise<string> {
  const settings = { url: bank.acquirer.url, repetition: "none" };
  return await operators.merchantRoutedTo({ accountId: await operators.account({ settings, ...terms }) });
}
const as = (merchantId: string) => ({ merchant: { merchantId } });
const command = (merchantId: string, pan = "4111111111111111") =>
  payments.command({ ofMerchant: merchantId, amountMinor: "10000", cardData: { pan } });

/** A sale of a merchant, some hours ago. @returns its id. */
async function saleOf(merchantId: string, hours: number): Promise<string> {
  const sale = command(merchantId);
  expect(await payments.call(operations.pay.command, sale, as(merchantId))).toMatchObject({
    outcome: "done",
  });
  await payments.query(
    "update payments.payment set created_at = created_at - $2 * interval '1 hour' where payment_id = $1",
    [sale.paymentId, hours],
  );
  return sale.paymentId;
}
const cancel = (merchantId: string, paymentId: string) =>
  payments.call(operations.cancel.command, { paymentId, operationId: randomUUID() }, as(merchantId));

const columns = async <Row extends object>(paymentId: string, selected: string) =>
  (
    await payments.query<Row>(
      `select ${selected} from payments.payment left join payments.payment_watch as watch using (payment_id)
       where payment_id = $1`,
      [paymentId],
    )
  )[0]!;

describe("a payment that its bank has never seen", () => {
  const NEVER_SEEN = "4000000000000127";
  const stateOf = async (paymentId: string) => (await columns<{ state: string }>(paymentId, "state")).state;

  /** Makes a sale of some minutes ago that its bank has never seen. */
  async function loseSale(merchantId: string, minutes: number): Promise<string> {
    const lost = command(merchantId, NEVER_SEEN);
    expect(await payments.call(operations.pay.command, lost, as(merchantId))).toMatchObject({
      outcome: "pending",
    });
    await payments.query(
      "update payments.payment set created_at = created_at - $2 * interval '1 minute' where payment_id = $1",
      [lost.paymentId, minutes],
    );
    await recoverNow(lost.paymentId);
    return lost.paymentId;
  }
  const recoverNow = (paymentId: string) =>
    payments.query(
      "update payments.payment set recover_at = now() where payment_id = $1 and lease_token is null",
      [paymentId],
    );

  test("ends at its account's horizon, and is looked at when its account's day has ended", async () => {
    const merchantId = await merchantOf({ lateArrivalSeconds: 60, businessDay: LONG_DAY });
    const paymentId = await loseSale(merchantId, 5);
    await eventually(async () => (await stateOf(paymentId)) === "FAILED");
    const dayEnds = "to_char(watch.due_at at time zone 'UTC', 'HH24:MI') as day_ends";
    expect(await columns(paymentId, dayEnds)).toEqual({ day_ends: LONG_DAY.cutOff });
  });

  test("stays unknown while its account says that it may still arrive, by the newest version", async () => {
    const settings = { url: bank.acquirer.url, repetition: "none" };
    const accountId = await operators.account({ settings, lateArrivalSeconds: 7_200 });
    const paymentId = await loseSale(await operators.merchantRoutedTo({ accountId }), 90);
    await eventually(async () => {
      await recoverNow(paymentId);
      const { said } = await columns<{ said: string }>(paymentId, "payment.last_inquiry as said");
      return said === "nothing_found";
    });
    expect(await stateOf(paymentId)).toBe("REVERSING");

    await operators.change(accountId, 2, { lateArrivalSeconds: 60 });
    await recoverNow(paymentId);
    await eventually(async () => (await stateOf(paymentId)) === "FAILED");
  });
});

test("a capture that was lost is sent again when its account says that the first call can no longer arrive", async () => {
  const merchantId = await merchantOf({ lateArrivalSeconds: 60 });
  const authorization = command(merchantId);
  const { paymentId } = authorization;
  expect(await payments.call(operations.preAuthorize.command, authorization, as(merchantId))).toMatchObject({
    outcome: "done",
  });
  await bank.acquirerWill("capture", "hang_before");
  const capture = { paymentId, operationId: randomUUID() };
  expect(await payments.call(operations.capture.command, capture, as(merchantId))).toMatchObject({
    outcome: "pending",
  });
  await payments.query(
    "update payments.bank_call set sent_at = sent_at - interval '5 minutes' where payment_id = $1",
    [paymentId],
  );
  await eventually(async () => {
    const reply = await payments.call(operations.getPayment.command, { paymentId }, as(merchantId));
    return reply.outcome === "done" && reply.result.status === "CAPTURED";
  });
});

describe("a sale is cancelled on its bank's day", () => {
  test("also where the installation's has ended", async () => {
    const merchantId = await merchantOf({ businessDay: LONG_DAY });
    expect(await cancel(merchantId, await saleOf(merchantId, 6))).toMatchObject({
      result: { status: "CANCELLED" },
    });
  });

  test("and not after it", async () => {
    const merchantId = await merchantOf({ businessDay: { ...YOUNG_DAY, cutOff: hoursAgo(1) } });
    expect(await cancel(merchantId, await saleOf(merchantId, 2))).toMatchObject({
      code: "invalid_payment_state",
    });
  });

  test("of an account that is made without one, by the installation's day", async () => {
    const merchantId: string = randomUUID();
    expect(await cancel(merchantId, await saleOf(merchantId, 6))).toMatchObject({
      code: "invalid_payment_state",
    });
    expect(await cancel(merchantId, await saleOf(merchantId, 2))).toMatchObject({
      result: { status: "CANCELLED" },
    });
  });
});

test("a refund that was lost is sent again when its account says that the first call can no longer arrive", async () => {
  const carriedOutLater = async (merchantId: string) => {
    const part = {
      refundId: randomUUID(),
      paymentId: await saleOf(merchantId, 0),
      amountMinor: "1000",
      currency: "TRY",
    };
    expect(await payments.call(reserveRefund, { ...part, askedBy: [] }, as(merchantId))).toMatchObject({
      outcome: "done",
    });
    expect(await payments.operate(agreeToRefund, { refundId: part.refundId })).toMatchObject({
      outcome: "done",
    });
    const refund = { ...part, kind: "refund", resumed: false } as const;
    const carryOut = async (withinMs: number) => {
      const deadlineAt = Date.now() + withinMs;
      const context = { requestId: randomUUID(), deadlineAt, service: { name: "refunds" as const } };
      return resultOf(await payments.request(carryOutRefundAtBank, context, refund)).answer.kind;
    };
    await bank.acquirerWill("refund", "hang_before");
    expect(await carryOut(2_000)).toBe("unknown");
    await payments.query(
      "update payments.bank_call set sent_at = sent_at - interval '5 minutes' where movement_id = $1",
      [part.refundId],
    );
    return await carryOut(100_000);
  };
  expect(await carriedOutLater(await merchantOf({ lateArrivalSeconds: 60 }))).toBe("approved");
  expect(await carriedOutLater(await merchantOf({ lateArrivalSeconds: 3_600 }))).toBe("not_found");
});

test("an account that is made without has those of the installation", async () => {
  const accountId = await operators.account();
  const { items } = resultOf(await payments.operate(operations.listAcquirerAccounts.command, { accountId }));
  expect(items).toMatchObject([{ lateArrivalSeconds: 3_600, businessDay: YOUNG_DAY }]);
});
