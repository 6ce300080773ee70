// The service's purges: which rows they delete, which rows they leave, and how much they read.
import { createDatabase } from "@holdfast/postgres";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import { sql, type Kysely } from "kysely";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PaymentsDatabase } from "../database.ts";
import { purgeOutbox } from "@holdfast/outbox";
import { forgetAddresses, NO_ADDRESS } from "./forget-addresses.ts";
import { purgeCheckouts, purgeEvidence, purgeSessions } from "./purge-ended.ts";

const DAY_MS = 86_400_000;

let database: TestDatabase;
let superuser: Pool;
/** The database with the service's rights. */
let db: Kysely<PaymentsDatabase>;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new Pool({
    connectionString: database.superuserUrl,
    options: "-c search_path=payments",
    max: 1,
  });
  db = createDatabase<PaymentsDatabase>(new Pool({ connectionString: database.urls.payments.app, max: 2 }));
});
beforeEach(() => superuser.query("truncate payment cascade; truncate checkout cascade"));
afterAll(async () => {
  await Promise.all([db.destroy(), superuser.end()]);
  await database.drop();
});

const column = async (text: string): Promise<unknown[]> =>
  (await superuser.query<{ value: unknown }>(text)).rows.map(({ value }) => value);

/** Payments that are settled, or under way, named by their orders. */
async function makePayments(
  orderId: string,
  { age, underWay = false, count = 1 }: { age: string; underWay?: boolean; count?: number },
): Promise<void> {
  await superuser.query(
    `insert into payment (payment_id, merchant_id, transaction_type, state, version, order_id, amount_minor, currency,
       currency_exponent, installment_count, commission_minor, request_ip, request_port, card_holder_name, masked_pan,
       pan_fingerprint, account_id, recover_at, created_at, refunds_commission, pan_fingerprint_key_id)
     select uuidv7(-$2::interval), gen_random_uuid(), 'PAYMENT', $3, 2, $1, 100, 'TRY', 2, 1, 0, '203.0.113.7', 4711,
       'A Buyer', '411111******1111', decode(repeat('00', 32), 'hex'), gen_random_uuid(), $4::timestamptz, now() - $2::interval, true, '0'
     from generate_series(1, $5)`,
    [orderId, age, underWay ? "ENROLLED" : "SUCCESS", underWay ? new Date().toISOString() : null, count],
  );
}

describe("3-D Secure sessions", () => {
  /** Each payment's session ended as long ago as the payment was made. */
  const makeSessions = (ofOrder: string, eci: string | null) =>
    superuser.query(
      `insert into three_ds_session (payment_id, session_id, expires_at, success_url, failure_url, page_url, eci)
       select payment_id, gen_random_uuid(), created_at, 'https://a.example/', 'https://a.example/', 'https://b.example/', $2
       from payment where order_id = $1`,
      [ofOrder, eci],
    );

  test("end after their time, those of an authentication later, and none of a payment that is under way", async () => {
    const made: [order: string, age: string, eci: string | null, underWay?: boolean][] = [
      ["abandoned", "31 days", null],
      ["abandoned and young", "29 days", null],
      ["abandoned and under way", "600 days", null, true],
      ["authenticated", "31 days", "05"],
      ["authenticated long ago", "541 days", "05"],
      ["authenticated and under way", "600 days", "05", true],
    ];
    for (const [order, age, eci, underWay = false] of made) {
      await makePayments(order, { age, underWay });
      await makeSessions(order, eci);
    }
    expect(await purgeSessions(db, { olderThanMs: 30 * DAY_MS, rowsMax: 1 })).toBe(1);
    expect(await purgeEvidence(db, { olderThanMs: 540 * DAY_MS, rowsMax: 1 })).toBe(1);
    expect(
      await column(
        "select order_id as value from three_ds_session join payment using (payment_id) order by 1",
      ),
    ).toEqual([
      "abandoned and under way",
      "abandoned and young",
      "authenticated",
      "authenticated and under way",
    ]);
    expect(await column("select count(*)::int as value from payment")).toEqual([made.length]);
  });

  test("are deleted without reading the others", async () => {
    await makePayments("authenticated", { age: "100 days", count: 5_000 });
    await makeSessions("authenticated", "05");
    await makePayments("abandoned", { age: "31 days", count: 50 });
    await makeSessions("abandoned", null);
    await expectFewReads(50, (trx) => purgeSessions(trx, { olderThanMs: 30 * DAY_MS }));
    await superuser.query("update three_ds_session set expires_at = now() - interval '541 days'");
    await makePayments("authenticated long ago", { age: "541 days", count: 50 });
    await makeSessions("authenticated long ago", "05");
    await superuser.query(
      "update three_ds_session set expires_at = now() - interval '100 days' from payment where payment.payment_id = three_ds_session.payment_id and order_id = 'authenticated'",
    );
    await expectFewReads(50, (trx) => purgeEvidence(trx, { olderThanMs: 540 * DAY_MS }));
  });
});

describe("checkouts", () => {
  /** A checkout that is paid by the order's payment, or by none. */
  const makeCheckouts = (order: string, state: string, closed: string | null, count = 1) =>
    superuser.query(
      `with made as (
         insert into checkout (checkout_id, merchant_id, state, transaction_type, order_id, amount_minor, currency,
           currency_exponent, installment_options, three_ds, success_url, failure_url, payment_id, attempts, expires_at, closed_at)
         select gen_random_uuid(), gen_random_uuid(), $2, 'PAYMENT', $1, 100, 'TRY', 2, '{1}', false, 'https://a.example/',
           'https://a.example/', payment_id, case when payment_id is null then 0 else 1 end, now(), now() - $3::interval
         from generate_series(1, $4) left join payment on order_id = $1
         returning checkout_id, payment_id)
       insert into checkout_payment (payment_id, checkout_id, attempt)
       select payment_id, checkout_id, 1 from made where payment_id is not null`,
      [order, state, closed, count],
    );

  test("end some time after they were closed, with their attempts, once the payments are settled", async () => {
    await makePayments("paid", { age: "31 days" });
    await makePayments("paid lately", { age: "29 days" });
    await makePayments("closed and under way", { age: "31 days", underWay: true });
    await makeCheckouts("paid", "COMPLETED", "31 days");
    await makeCheckouts("paid lately", "COMPLETED", "29 days");
    await makeCheckouts("closed and under way", "EXPIRED", "31 days");
    await makeCheckouts("never paid", "EXPIRED", "31 days");
    await makeCheckouts("open", "OPEN", null);
    expect(await purgeCheckouts(db, { olderThanMs: 30 * DAY_MS, rowsMax: 1 })).toBe(2);
    expect(await column("select order_id as value from checkout order by 1")).toEqual([
      "closed and under way",
      "open",
      "paid lately",
    ]);
    expect(
      await column(
        "select order_id as value from checkout_payment join payment using (payment_id) order by 1",
      ),
    ).toEqual(["closed and under way", "paid lately"]);
    expect(await column("select order_id as value from payment order by 1")).toContain("paid");
  });

  test("are deleted without reading the others", async () => {
    await makeCheckouts("young", "EXPIRED", "29 days", 5_000);
    await makeCheckouts("old", "EXPIRED", "31 days", 50);
    await expectFewReads(50, (trx) => purgeCheckouts(trx, { olderThanMs: 30 * DAY_MS }));
  });
});

test("events are deleted without reading the others", async () => {
  await makePayments("any", { age: "1 day" });
  const record = (age: string, count: number) =>
    superuser.query(
      `insert into outbox (event_id, event_type, payment_id, merchant_id, status, body, confirmed_at)
       select uuidv7(-$1::interval), 'payment.status_changed', payment_id, merchant_id, 'SUCCESS', '', now()
       from payment, generate_series(1, $2)`,
      [age, count],
    );
  await record("29 days", 5_000);
  await record("31 days", 50);
  await expectFewReads(50, (trx) => purgeOutbox(trx, { olderThanMs: 30 * DAY_MS }));
});

describe("the address of a request", () => {
  const forget = () => forgetAddresses(db, { olderThanMs: 540 * DAY_MS, rowsMax: 2 });
  const addresses = () =>
    column("select order_id || ' ' || request_ip as value from payment group by 1 order by 1");

  test("is forgotten in old payments, by several processes, and each payment is looked at once", async () => {
    await makePayments("old", { age: "541 days", count: 5 });
    await makePayments("young", { age: "539 days", count: 2 });
    const [one, other] = await Promise.all([forget(), forget()]);
    expect(one + other + (await forget())).toBe(5);
    expect(await addresses()).toEqual([`old ${NO_ADDRESS}`, "young 203.0.113.7"]);
    expect(await forget()).toBe(0);
    await makePayments("old, and later", { age: "540 days 1 hour" });
    expect(await forget()).toBe(1);
    expect(await addresses()).toContain(`old, and later ${NO_ADDRESS}`);
  });

  test("is forgotten without reading the other payments", async () => {
    await superuser.query("update purge_progress set through_at = '-infinity'");
    await makePayments("young", { age: "1 day", count: 5_000 });
    await makePayments("old", { age: "541 days", count: 50 });
    await expectFewReads(50, (trx) => forgetAddresses(trx, { olderThanMs: 540 * DAY_MS }));
  });
});

/** A purge of `rows` rows reads some times as many, in all tables together, though a hundred times as many are there. */
async function expectFewReads(
  rows: number,
  purge: (db: Kysely<PaymentsDatabase>) => Promise<number>,
): Promise<void> {
  await superuser.query("analyze payment, checkout, checkout_payment, three_ds_session, outbox");
  const read = await db.transaction().execute(async (trx) => {
    expect(await purge(trx)).toBe(rows);
    const counted = await sql<{ rows: number }>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
      where schemaname = 'payments'`.execute(trx);
    return counted.rows[0]!.rows;
  });
  expect(read).toBeGreaterThanOrEqual(rows);
  expect(read).toBeLessThanOrEqual(rows * 20);
}
