// A migration that would stop an installation is recognized.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "@holdfast/postgres";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";
import { fillStatement, ROWS, touchStatement } from "./fill-table.ts";
import { NOTEBOOK, observeMigration, stopOf } from "./observe-migration.ts";
import { writeDuring } from "./write-during.ts";

/** @param before earlier migrations' statements, beside two tables of rows. */
async function observe(sql: string, before = "") {
  const database = await createTestDatabase();
  const clients = [0, 1].map(() => new Client({ connectionString: database.superuserUrl, ssl: false }));
  onTestFinished(async () => {
    await Promise.all(clients.map((each) => each.end()));
    await database.drop();
  });
  await Promise.all(clients.map((each) => each.connect()));
  const [client, other] = clients as [Client, Client];
  await client.query(`${NOTEBOOK}; create schema planted`);
  const directory = makeTestDirectory();
  const [from, copies] = [join(directory, "from"), join(directory, "copies")];
  await Promise.all([from, copies].map((each) => mkdir(each)));
  await writeFile(
    join(copies, "0000-before.sql"),
    `create table planted.note (note_id uuid primary key, amount_minor bigint not null, note text, at timestamptz not null);
     create table planted.merchant (merchant_id uuid primary key, name text not null); ${before}`,
  );
  await migrate(database.superuserUrl, "planted", copies);
  const tables = await Promise.all(
    ["note", "merchant"].map(async (table) => ({
      table,
      insert: await fillStatement(client, "planted", table),
      touch: await touchStatement(client, "planted", table),
    })),
  );
  for (const { insert } of tables) await client.query(insert, [1, ROWS]);
  await writeFile(join(from, "0001-planted.sql"), sql);
  const writer = { client: other, next: ROWS + 1, failures: [] };
  const observed = await writeDuring({ during: "planted", writer, watcher: client, tables }, (asks) =>
    observeMigration({
      client,
      ownerUrl: database.superuserUrl,
      schema: "planted",
      from,
      copies,
      migration: "0001-planted",
      filled: tables.map(({ table }) => table),
      asks,
    }),
  );
  return { stop: stopOf(observed), writer: observed.writer, failures: writer.failures, observed };
}

test.each<[string, string]>([
  ["an index", "create index note_at on planted.note (at)"],
  ["a column with a check", "alter table planted.note add column fee bigint check (fee > 0)"],
  [
    "a column whose default is another one each time",
    "alter table planted.note add column token uuid default gen_random_uuid()",
  ],
  ["a column of another type", "alter table planted.note alter column amount_minor type numeric"],
  [
    "a look at every row behind a lock that would be short",
    "alter table planted.note add column a text; select count(*) from planted.note",
  ],
  ["a table that is stored again", "alter table planted.note set unlogged"],
  ["a lock", "lock table planted.note in exclusive mode; select sum(amount_minor) from planted.note"],
])("%s stops those who write", async (_, sql) => {
  const { stop, writer, failures } = await observe(sql);
  expect(stop).toEqual({ waits: ["note"], works: ["note"] });
  expect(writer).toBe("waits");
  expect(failures).toEqual([]);
});

test("rows that are written stop those who write the same, and no others", async () => {
  const { stop, observed } = await observe("update planted.note set amount_minor = 2");
  expect(stop).toEqual({ waits: ["note"], works: ["note"] });
  expect(observed.locked).toEqual([]);
});

test("one table is locked while another one is read", async () => {
  const sql = `create table planted.part (merchant_id uuid references planted.merchant);
    insert into planted.part select note_id from planted.note where note is not null`;
  expect((await observe(sql)).stop).toEqual({ waits: ["merchant"], works: ["note"] });
});

test.each<[string, string, "passed" | "waits"]>([
  ["a column", "alter table planted.note add column fee bigint", "waits"],
  [
    "a column with the same default in each row",
    "alter table planted.note add column fee bigint not null default 0",
    "waits",
  ],
  [
    "a check of what is written from now on",
    "alter table planted.note add check (amount_minor > 0) not valid",
    "waits",
  ],
  [
    "a reading of everything",
    "create table planted.sum as select sum(amount_minor) from planted.note",
    "passed",
  ],
  [
    "a table, a function and a right",
    "create table planted.other (at date); grant select on planted.note to payments_app",
    "passed",
  ],
])("%s stops nobody", async (_, sql, expected) => {
  const { stop, writer, failures } = await observe(sql);
  expect(stop).toBeUndefined();
  expect(writer).toBe(expected);
  expect(failures).toEqual([]);
});

test("a check that is compared with earlier rows in a transaction of its own stops nobody", async () => {
  const sql = "alter table planted.note validate constraint note_positive";
  const earlier = "alter table planted.note add constraint note_positive check (amount_minor > 0) not valid";
  const { stop, writer, observed } = await observe(sql, earlier);
  expect(stop).toBeUndefined();
  expect(observed.read).toEqual(["note"]);
  expect(writer).toBe("passed");
});
