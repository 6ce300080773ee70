import { createTestDatabase, captureLog } from "@holdfast/tests/support";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { createDatabase } from "../create-database.ts";
import { refuseMissingKeys, type RingInUse } from "./keys-in-use.ts";
import { createPool } from "../postgres.ts";

/** Compares a ring with the keys that `rows` need. @returns the log lines */
async function compare(rows: Extract<RingInUse["rows"], (...args: never[]) => unknown>): Promise<string[]> {
  const database = await createTestDatabase();
  const { log, lines } = captureLog("test");
  const pool = createPool({
    url: database.urls.payments.app,
    connectionsMax: 1,
    applicationName: "keys",
    log,
  });
  const db = createDatabase<never>(pool);
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const ring = { setting: "KEYS", ring: { active: "k2", keys: new Map() }, rowsAre: "rows", rows };
  await refuseMissingKeys(db, ring as never, { abandoned: new Set(), log });
  return lines.map(({ msg }) => String(msg));
}

test("a key that rows need stops the start, and the error says how many there are", async () => {
  await expect(compare(async () => new Map([["k1", 12n]]))).rejects.toThrow(
    "KEYS lacks k1, which 12 rows still need",
  );
});

test.each([
  ["ends the session", "select pg_terminate_backend(pg_backend_pid())"],
  ["does not answer in time", "select pg_sleep(20)"],
])("a database that %s meanwhile stops no start", async (_, statement) => {
  const logged = await compare(async (db) => {
    await sql.raw("set statement_timeout = '100ms'").execute(db);
    await sql.raw(statement).execute(db);
    return new Map();
  });
  expect(logged).toContain("it could not be seen whether a key is missing");
});

test("a table that is not there does", async () => {
  await expect(
    compare(async (db) => {
      await sql.raw("select from nowhere").execute(db);
      return new Map();
    }),
  ).rejects.toMatchObject({ code: "42P01" });
});
