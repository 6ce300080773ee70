import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseError } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { awaitSchema } from "./await-schema.ts";

function setUp(answers: (string[] | Error)[]) {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-schema-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const name of ["0001-first.sql", "0002-second.sql", "README.md"])
    writeFileSync(join(directory, name), "");
  const query = vi.fn(async () => {
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    if (answer instanceof Error) throw answer;
    return { rows: answer.map((name) => ({ name })) };
  });
  const pool = { query, ended: false };
  const log = { warn: vi.fn(), info: vi.fn(), error: vi.fn() };
  const endProcess = vi.fn();
  const wait = (timeoutMs: number) =>
    awaitSchema(pool as never, "payments", directory, log, { timeoutMs, endProcess });
  return { wait, log, query, pool, endProcess };
}

test("a schema with every migration, and one that is ahead, is not waited for", async () => {
  const { wait, log } = setUp([["0001-first.sql", "0002-second.sql", "0003-third.sql"]]);
  await wait(0);
  expect(log.warn).not.toHaveBeenCalled();
});

test("after its time it ends with what is missing", async () => {
  const { wait, log } = setUp([["0001-first.sql"]]);
  await expect(wait(-1)).rejects.toMatchObject({
    code: "schema_behind",
    message: "the schema payments is behind: 1 migrations have not run, from 0002-second.sql",
  });
  expect(log.warn).toHaveBeenCalledOnce();
});

test.each([
  [
    ["0001-first", "0002-second"],
    "has 2 migrations that this version does not know, from 0001-first, and lacks 0001-first.sql",
  ],
  [
    ["0001-other.sql"],
    "has 1 migrations that this version does not know, from 0001-other.sql, and lacks 0001-first.sql",
  ],
  [["0002-second.sql"], "has the migration 0002-second.sql without 0001-first.sql before it"],
])("a schema that others have made (%j) is not waited for", async (ran, found) => {
  const { wait, log } = setUp([ran]);
  await expect(wait(60_000)).rejects.toMatchObject({
    code: "foreign_schema",
    message: `the schema payments ${found}: nothing was changed; use the version that made it, or install into another database`,
  });
  expect(log.warn).not.toHaveBeenCalled();
});

test.each([
  ["42P01", "the installation or the migrations have not run yet (SQLSTATE 42P01)"],
  ["28P01", "the installation or the migrations have not run yet (SQLSTATE 28P01)"],
])("SQLSTATE %s is waited for, and said in words", async (code, reason) => {
  const refused = Object.assign(new DatabaseError("with a value", 1, "error"), { code });
  const { wait, log } = setUp([refused, ["0001-first.sql", "0002-second.sql"]]);
  await wait(60_000);
  expect(log.warn.mock.calls).toEqual([[{ operation: "await schema", reason }, "waiting for the schema"]]);
  expect(log.info).toHaveBeenCalledOnce();
});

const refusing = Object.assign(new DatabaseError("with a value", 1, "error"), { code: "57P03" });

test.each([
  ["the database cannot be reached", new Error("ECONNREFUSED")],
  ["the database refuses (SQLSTATE 57P03)", refusing],
])("while %s the service starts, and the look is made when it is back", async (reason, outage) => {
  const { wait, log, query, endProcess } = setUp([outage, outage, ["0001-first.sql", "0002-second.sql"]]);
  await wait(-1);
  expect(log.warn.mock.calls).toEqual([
    [{ operation: "await schema", reason }, "starting without a look at the schema"],
  ]);
  await vi.waitFor(() => expect(query).toHaveBeenCalledTimes(3), { timeout: 60_000 });
  expect(endProcess).not.toHaveBeenCalled();
});

test("a schema that is behind when the database is back ends the process, once", async () => {
  const { wait, log, query, endProcess } = setUp([refusing, ["0001-first.sql"]]);
  await wait(60_000);
  await vi.waitFor(() => expect(endProcess).toHaveBeenCalled(), { timeout: 60_000 });
  expect(log.error).toHaveBeenCalledOnce();
  expect(endProcess).toHaveBeenCalledOnce();
  expect(query).toHaveBeenCalledTimes(2);
});

test("nobody looks for a service that has stopped meanwhile", async () => {
  const { wait, query, pool } = setUp([refusing]);
  const isStopped = vi.spyOn(pool, "ended", "get").mockReturnValue(true);
  await wait(60_000);
  await vi.waitFor(() => expect(isStopped).toHaveBeenCalled(), { timeout: 60_000 });
  expect(query).toHaveBeenCalledOnce();
});
