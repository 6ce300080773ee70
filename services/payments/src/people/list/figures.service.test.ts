import { TEST_ACCOUNT_ID } from "@holdfast/tests/support";
import { randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPaymentsHarness, type PaymentsHarness } from "../../../test/payments-harness.ts";
import type { PaymentsDatabase } from "../../database.ts";
import { figuresOf } from "./figures.ts";

let payments: PaymentsHarness;
beforeAll(async () => {
  payments = await startPaymentsHarness({ RECOVERY_INTERVAL: "1h" });
});
afterAll(() => payments.close());

const figures = async (scope: { merchantId?: string; livemode?: boolean } = {}) => {
  const reply = await payments.operate(operations.getFigures.command, { livemode: true, ...scope });
  if (!("result" in reply)) throw new Error(reply.outcome);
  return reply.result;
};

async function paid(change: object = {}): Promise<string> {
  const command = payments.command(change);
  await payments.send(command);
  return command.paymentId;
}

test("the sums are of every payment, beside yesterday and the same day of last week up to the same time", async () => {
  const declined = { cardData: { pan: "4000000000000002" } };
  const ids = [await paid(), await paid(), await paid(declined), await paid(), await paid(), await paid()];
  const [first, second, , third, fourth, cancelled] = ids as [string, string, string, string, string, string];
  await payments.call(operations.cancel.command, { paymentId: cancelled, operationId: randomUUID() });
  const amount = 125.25;
  const set = (paymentId: string, at: string, minor: number) =>
    payments.query(
      `update payments.payment set amount_minor = $2, created_at = ${at} where payment_id = $1`,
      [paymentId, minor],
    );
  const day = "date_trunc('day', now(), 'UTC')";
  await set(first, "now()", amount * 100);
  await set(second, "now()", 1);
  // Yesterday's first moment came before this time of day, and its last one after it.
  await set(third, `${day} - interval '1 day'`, 1_000);
  await set(fourth, `${day} - interval '1 microsecond'`, 500);
  const { days, accounts, at } = await figures();
  expect(days.map(({ day: name }) => name)).toEqual(
    [0, 1, 7].map((ago) => new Date(Date.parse(at) - ago * 86_400_000).toISOString().slice(0, 10)),
  );
  const [today, yesterday, lastWeek] = days;
  expect(today!.volumes).toEqual([
    {
      currency: "TRY",
      payments: 2,
      amount: 125.26,
      amountByNow: 125.26,
      hours: [{ hour: new Date(at).getUTCHours(), payments: 2, amount: 125.26 }],
    },
  ]);
  expect(yesterday!.volumes).toEqual([
    {
      currency: "TRY",
      payments: 2,
      amount: 15,
      amountByNow: 10,
      hours: [
        { hour: 0, payments: 1, amount: 10 },
        { hour: 23, payments: 1, amount: 5 },
      ],
    },
  ]);
  expect(lastWeek!.volumes).toEqual([]);
  // The one that was cancelled had been approved.
  expect(accounts).toEqual([
    { accountId: TEST_ACCOUNT_ID, name: "The test's bank", approved: 3, declined: 1 },
  ]);
  await payments.query(
    "update payments.payment set created_at = created_at - interval '6 days' where payment_id = any($1)",
    [[third, fourth]],
  );
  expect((await figures()).days[2]!.volumes).toMatchObject([{ payments: 2, amount: 15 }]);
});

test("another merchant's payments and those of the other mode are not in the sums", async () => {
  const own = await figures({ merchantId: payments.merchantId });
  expect(own.days[0]!.volumes).toMatchObject([{ payments: 2 }]);
  const others = await figures({ merchantId: "019ab2f4-7100-7d7f-89a0-fa1c3d815db2" });
  expect(others.days.flatMap(({ volumes }) => volumes)).toEqual([]);
  expect((await figures({ livemode: false })).days.flatMap(({ volumes }) => volumes)).toEqual([]);
});

test("open disputes are counted, with the time since which the oldest waits", async () => {
  const paymentId = await paid();
  const opened = (minutesAgo: number, status: string) =>
    payments.query(
      `insert into payments.chargeback (chargeback_id, payment_id, merchant_id, status, amount_minor, currency,
         counted_minor, excess_minor, created_at, ended_at)
       values (gen_random_uuid(), $1, $2, $3, 100, 'TRY', 100, 0, now() - make_interval(mins => $4),
         case when $3 <> 'OPEN' then now() end)`,
      [paymentId, payments.merchantId, status, minutesAgo],
    );
  await opened(1, "OPEN");
  await opened(9, "OPEN");
  await opened(99, "LOST");
  const [{ oldest }] = (await payments.query<{ oldest: Date }>(
    "select min(created_at) as oldest from payments.chargeback where status = 'OPEN'",
  )) as [{ oldest: Date }];
  const oldestAt = oldest.toISOString();
  expect(await figures()).toMatchObject({ openDisputes: { count: 2, oldestAt } });
  expect((await figures({ merchantId: randomUUID() })).openDisputes).toEqual({ count: 0 });
  expect((await figures({ livemode: false })).openDisputes).toEqual({ count: 0 });
});

test("a payment that people have resolved counts as no decline of the bank", async () => {
  const declined = await paid({ cardData: { pan: "4000000000000002" } });
  const [before] = (await figures()).accounts;
  const resolved = "update payments.payment set result_code = 'resolved' where payment_id = $1";
  await payments.query(resolved, [declined]);
  const [after] = (await figures()).accounts;
  expect(after).toEqual({ ...before, declined: before!.declined - 1 });
});

test("two statements say it all, also at a server whose own clock has changed to summer time since yesterday", async () => {
  const today = new Date();
  const dayOfYear = Math.floor((today.getTime() - Date.UTC(today.getUTCFullYear(), 0, 1)) / 86_400_000);
  const yesterday = (dayOfYear + 364) % 365;
  const zone = `WIN0SUM,${yesterday}/12,${(yesterday + 180) % 365}/12`;
  const firstMoment = "date_trunc('day', now(), 'UTC') - interval '24 hours'";
  await payments.query(`update payments.payment set created_at = ${firstMoment} where payment_id = $1`, [
    await paid(),
  ]);
  const pool = createPool({
    url: `${payments.database.urls.payments.app}?options=${encodeURIComponent(`-c timezone=${zone}`)}`,
    connectionsMax: 1,
    applicationName: "test",
    log: createLogger("test", "silent"),
  });
  let statements = 0;
  const counted = createDatabase<PaymentsDatabase>(pool).withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const reply = await figuresOf(counted, { livemode: true });
  await pool.end();
  expect(statements).toBe(2);
  expect(reply).toMatchObject({ result: { days: (await figures()).days } });
});
