import { createDatabase } from "@holdfast/postgres";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { scanDatabase } from "./scan-database.ts";

const CARD = "4111111111111111";

/** A schema of its own with some tables, and a scan of it as the command makes it. */
async function setUp(statements: string) {
  const database = await createTestDatabase();
  const pool = new Pool({
    connectionString: database.superuserUrl,
    max: 1,
    options: "-c default_transaction_read_only=on -c statement_timeout=10s -c lock_timeout=50ms",
  });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  await withClient(database.superuserUrl, (client) => client.query(`create schema sought; ${statements}`));
  const db = createDatabase<unknown>(pool);
  const scan = (untilMs = Infinity) => scanDatabase(db, { schemas: ["sought"], untilMs });
  return { database, scan };
}

test("a card number is found in texts, documents, lists and bytes, and shown by its last four digits", async () => {
  const { scan } = await setUp(`
    create table sought.text (id int, body text); insert into sought.text values (1, 'card ${CARD} of a buyer');
    create table sought.document (body jsonb); insert into sought.document values ('{"pan": "4111 1111 1111 1111"}');
    create table sought.list (body text[]); insert into sought.list values (array['x', '${CARD}']);
    create table sought.bytes (body bytea); insert into sought.bytes values ('{"pan":"${CARD}"}'::bytea);
    create table sought.long (body text);
    insert into sought.long select string_agg(md5(n::text), '|') from generate_series(1, 4000) n;
    insert into sought.long select body || ' ${CARD}' from sought.long;
    create table sought.clean (body text, more text);
    insert into sought.clean values ('411111******1111', 'x'), ('${CARD.slice(0, -1)}2', null), (gen_random_uuid()::text, ''),
      ('4111 1111', '1111 1111');
    create table sought.counted (id uuid primary key, at timestamptz, amount bigint);`);
  const { found, tables, skipped, withoutTexts } = await scan();
  expect(found.map(({ place, lastFour }) => `${place} ${lastFour}`).toSorted()).toEqual([
    "sought.bytes body (0,1) 1111",
    "sought.document body (0,1) 1111",
    "sought.list body (0,1) 1111",
    "sought.long body (0,2) 1111",
    "sought.text body (0,1) 1111",
  ]);
  expect(tables.every(({ pages, scannedPages }) => pages === scannedPages)).toBe(true);
  expect(skipped).toBe(0);
  expect(withoutTexts).toEqual(["sought.counted"]);
});

test("large tables are read in ranges, as many as there is time for, and small ones before them", async () => {
  const { scan } = await setUp(`
    create table sought.large (body text);
    insert into sought.large select repeat(md5(n::text), 40) from generate_series(1, 20000) n;
    insert into sought.large values ('${CARD}');
    create table sought.small (body text); insert into sought.small values ('${CARD}');`);
  expect((await scan()).found.map(({ place }) => place.split(" ")[0])).toEqual([
    "sought.small",
    "sought.large",
  ]);
  const { found, tables } = await scan(0);
  expect(found).toEqual([]);
  expect(tables.map(({ scannedPages }) => scannedPages)).toEqual([0, 0]);
});

test("a table that somebody has locked is left out and counted, and nothing waits for the scan", async () => {
  const { database, scan } = await setUp(`
    create table sought.locked (body text); insert into sought.locked values ('${CARD}');
    create table sought.free (body text); insert into sought.free values ('${CARD}');`);
  await withClient(database.superuserUrl, async (client) => {
    await client.query("begin; lock table sought.locked in access exclusive mode");
    expect(await scan()).toMatchObject({ skipped: 1, found: [{ place: "sought.free body (0,1)" }] });
    await client.query("rollback");
  });
});
