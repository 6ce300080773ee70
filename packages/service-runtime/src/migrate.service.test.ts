import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "./migrate.ts";

async function setUp(files: Record<string, string>) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const directory = mkdtempSync(join(tmpdir(), "holdfast-migrations-"));
  const write = (more: Record<string, string>) => {
    for (const [name, text] of Object.entries(more)) writeFileSync(join(directory, name), text);
  };
  write(files);
  const query = <Row>(text: string) =>
    withClient(database.superuserUrl, async (client) => (await client.query<Row & object>(text)).rows);
  await query("create schema tried");
  const url = database.superuserUrl;
  return { run: () => migrate(url, "tried", directory), write, query, url };
}

const TABLE = "create table tried.note (at xid8 default pg_current_xact_id())";
const NOTE = "insert into tried.note default values";

test("each migration is a transaction of its own, and runs once", async () => {
  const { run, write, query } = await setUp({
    "0001-table.sql": TABLE,
    "0002-note.sql": NOTE,
    "0003-note.sql": NOTE,
  });
  expect(await run()).toEqual(["0001-table", "0002-note", "0003-note"]);
  expect(await query("select distinct at from tried.note")).toHaveLength(2);
  write({ "0004-note.sql": NOTE });
  expect(await run()).toEqual(["0004-note"]);
  expect(await run()).toEqual([]);
});

test("one that fails leaves those before it, and nothing of itself", async () => {
  const failing = `${NOTE}; select 1 / 0`;
  const { run, write, query } = await setUp({
    "0001-table.sql": TABLE,
    "0002-note.sql": NOTE,
    "0003-fails.sql": failing,
  });
  await expect(run()).rejects.toThrow("division by zero");
  expect(await query("select from tried.note")).toHaveLength(1);
  write({ "0003-fails.sql": NOTE });
  expect(await run()).toEqual(["0003-fails"]);
});

test("processes that run at the same time wait for each other", async () => {
  const { run } = await setUp({ "0001-table.sql": TABLE, "0002-note.sql": NOTE, "0003-note.sql": NOTE });
  const ran = await Promise.all([run(), run(), run()]);
  expect(ran.flat().toSorted()).toEqual(["0001-table", "0002-note", "0003-note"]);
});

test("a lock that somebody keeps ends a migration, which leaves nothing and runs when it is tried again", async () => {
  const { run, write, query, url } = await setUp({ "0001-table.sql": TABLE });
  await run();
  write({ "0002-fee.sql": `${NOTE}; alter table tried.note add column fee bigint` });
  await withClient(url, async (client) => {
    await client.query("begin; select from tried.note");
    await expect(run()).rejects.toThrow("lock timeout");
    await client.query("rollback");
  });
  expect(await query("select from tried.note")).toEqual([]);
  expect(await run()).toEqual(["0002-fee"]);
});
