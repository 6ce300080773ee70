import type { FeedPlace, MovementPage } from "@holdfast/contracts";
import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { Client, type Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { PaymentsDatabase } from "../../services/payments/src/database.ts";
import { readPaymentMovements } from "../../services/payments/src/payment/movement-facts.ts";
import { createTestDatabase, eventually, type TestDatabase } from "../support/index.ts";

/** The feed of payments, read from rows that several transactions write. */
let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({
    url: database.urls.payments.app,
    connectionsMax: 2,
    connectionTimeoutMs: 60_000,
    applicationName: "test",
    log: createLogger("test", "error"),
  });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function connected(): Promise<Client> {
  const client = new Client(database.superuserUrl);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

let writer: Client;
beforeEach(async () => {
  writer = await connected();
  await writer.query("truncate payments.payment cascade");
});

/** Sales, as the statement that records them writes them. @returns their ids, in their order. */
async function sell(client: Client, count = 1): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with made as (
       insert into payments.payment (payment_id, merchant_id, transaction_type, state, version, order_id, amount_minor, currency,
         currency_exponent, installment_count, request_ip, request_port, commission_minor, refunds_commission, card_holder_name,
         masked_pan, pan_fingerprint_key_id, account_id)
       select uuidv7(), gen_random_uuid(), 'PAYMENT', 'SUCCESS', 2, 'order', 100, 'TRY', 2, 1, '192.0.2.1', 443, 0, true, 'Ada',
         '411111******1111', '0', gen_random_uuid() from generate_series(1, $1::int)
       returning payment_id)
     insert into payments.payment_history (payment_id, version, to_state, cause)
     select payment_id, 2, 'SUCCESS', 'test' from made returning payment_id as id`,
    [count],
  );
  return rows.map(({ id }) => id).toSorted();
}

type Page = Exclude<MovementPage, { refused: string }>;

async function read(after?: FeedPlace): Promise<MovementPage> {
  const reply = await readPaymentMovements(createDatabase<PaymentsDatabase>(pool), { after });
  if (reply.outcome !== "done") throw new Error(reply.outcome);
  return reply.result;
}

/** Reads until there is nothing more. @returns each page's ids, and the last page. */
async function readOn(after?: FeedPlace): Promise<{ pages: string[][]; last: Page }> {
  const pages: string[][] = [];
  for (let place = after; ;) {
    const page = await read(place);
    if ("refused" in page) throw new Error(page.refused);
    if (page.facts.length > 0) pages.push(page.facts.map(({ id }) => id));
    if (page.isLast) return { pages, last: page };
    place = page.next;
  }
}

/**
 * Reads until everything that is committed now was read: other tests have transactions in the same cluster.
 */
async function readAll(after?: FeedPlace): Promise<{ pages: string[][]; last: Page }> {
  const pages: string[][] = [];
  const { rows } = await writer.query<{ now: string }>(
    "select pg_snapshot_xmax(pg_current_snapshot())::text as now",
  );
  let place = after;
  return await eventually(async () => {
    const read = await readOn(place);
    pages.push(...read.pages);
    place = read.last.next;
    return BigInt(place.transaction) >= BigInt(rows[0]!.now) && { pages, last: read.last };
  });
}

test("what commits later than what began after it is not left out, and what is complete is known", async () => {
  const { last } = await readAll();
  const slow = await connected();
  await slow.query("begin");
  const [first] = await sell(slow);
  const [second] = await sell(writer);
  const held = await readOn(last.next);
  expect(held.pages).toEqual([]);
  expect(BigInt(held.last.next.transaction)).toBeLessThan(BigInt(held.last.unbegun));
  await slow.query("commit");
  const { pages, last: end } = await readAll(held.last.next);
  expect(pages.flat()).toEqual([first, second]);
  expect(BigInt(end.next.transaction)).toBeGreaterThanOrEqual(BigInt(held.last.unbegun));
  expect((await readAll(end.next)).pages).toEqual([]);
});

test("rows of one transaction come in pages, each once, from the beginning and as changes", async () => {
  const { last } = await readAll();
  const ids = await sell(writer, 1_100);
  for (const after of [undefined, last.next]) {
    const { pages } = await readAll(after);
    expect(Math.max(...pages.map(({ length }) => length))).toBe(500);
    expect(pages.flat()).toEqual(ids);
  }
});

test("what changes while the rows are read comes as a change", async () => {
  await sell(writer, 501);
  // An open transaction of another database on the server would make all of these rows come again, so wait
  // until there is none.
  await eventually(async () => {
    const { rows } = await writer.query(
      `select from payments.payment_history where xact_id >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`,
    );
    expect(rows).toHaveLength(0);
  });
  const begun = await read();
  if ("refused" in begun) throw new Error(begun.refused);
  const [changed] = begun.facts;
  await writer.query(
    "update payments.payment set state = 'CANCELLED', version = 3, auth_code = '1' where payment_id = $1",
    [changed!.id],
  );
  await writer.query(
    "insert into payments.payment_history (payment_id, version, to_state, cause) values ($1, 3, 'CANCELLED', 'test')",
    [changed!.id],
  );
  const [rest, changes] = (await readAll(begun.next)).pages;
  expect(rest).toHaveLength(1);
  expect(changes).toEqual([changed!.id]);
});

test("after a dump was restored into another cluster, its rows come by their ids, and new ones as changes", async () => {
  const restored = await sell(writer, 3);
  // The numbers of the old cluster are far ahead.
  await writer.query("update payments.payment_history set xact_id = '9000000000000000'");
  const { pages, last } = await readAll();
  expect(pages).toEqual([restored]);
  const [made] = await sell(writer);
  expect((await readAll(last.next)).pages.flat()).toEqual([made]);
});

test("a place of another database, or ahead of this one, is refused", async () => {
  const { next } = (await readOn()).last;
  expect(await read({ ...next, feed: "elsewhere" })).toEqual({ refused: "another_feed" });
  expect(await read({ ...next, transaction: "9000000000000000" })).toEqual({ refused: "ahead" });
});
