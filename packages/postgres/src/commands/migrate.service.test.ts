import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase } from "@holdfast/tests/support";
import { describe, expect, onTestFinished, test } from "vitest";
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
  expect(await run()).toEqual(["0001-table.sql", "0002-note.sql", "0003-note.sql"]);
  expect(await query("select distinct at from tried.note")).toHaveLength(2);
  write({ "0004-note.sql": NOTE });
  expect(await run()).toEqual(["0004-note.sql"]);
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
  expect(await run()).toEqual(["0003-fails.sql"]);
});

test("processes that run at the same time wait for each other", async () => {
  const { run } = await setUp({ "0001-table.sql": TABLE, "0002-note.sql": NOTE, "0003-note.sql": NOTE });
  const ran = await Promise.all([run(), run(), run()]);
  expect(ran.flat().toSorted()).toEqual(["0001-table.sql", "0002-note.sql", "0003-note.sql"]);
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
  expect(await run()).toEqual(["0002-fee.sql"]);
});

describe("what this program's migrations did not make is refused, and nothing is changed", () => {
  const RECORD = `create table tried.migration (name text primary key, timestamp text not null);
    insert into tried.migration select * from unnest`;
  const ELSE = "nothing was changed; use the version that made it, or install into another database";

  test.each([
    [
      "a schema of other migrations",
      `${RECORD}(array['0001-table', '0002-note'], array['now', 'now']); create table tried.kept (id int)`,
      "has 2 migrations that this version does not know, from 0001-table, and lacks 0001-table.sql",
    ],
    [
      "a part of them",
      `${RECORD}(array['0002-note.sql'], array['now'])`,
      "has the migration 0002-note.sql without 0001-table.sql before it",
    ],
    [
      "tables without a record",
      "create table tried.kept (id int); create view tried.shown as select from tried.kept",
      "has tables (kept and 1 more) and no record of migrations",
    ],
    [
      "a later version's",
      `${RECORD}(array['0001-table.sql', '0002-note.sql', '0003-more.sql'], array['1', '2', '3'])`,
      "is of a later version, with the migration 0003-more.sql",
    ],
  ])("%s", async (_case, made, found) => {
    const { run, query } = await setUp({ "0001-table.sql": TABLE, "0002-note.sql": NOTE });
    await query(made);
    const relations = () =>
      query("select relname from pg_class where relnamespace = 'tried'::regnamespace order by 1");
    const before = await relations();
    await expect(run()).rejects.toMatchObject({ message: `the schema tried ${found}: ${ELSE}` });
    expect(await relations()).toEqual(before);
  });
});
