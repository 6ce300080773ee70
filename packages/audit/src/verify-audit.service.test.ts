import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { schemaNames, withClient, type SchemaName } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { appendAudit, readAuditEntriesBefore, type AuditDatabase, type AuditPage } from "./audit-log.ts";

/** A database in which each service has written two entries. */
async function setUp(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  for (const schema of schemaNames) {
    await withLog(database, schema, async (db) => {
      for (const [actor, action] of [
        ["alice", "thing.done"],
        ["bora", "thing.undone"],
      ] as const) {
        const record = { actor, action, subject: schema, detail: {} };
        await db.transaction().execute((trx) => appendAudit(trx, record));
      }
    });
  }
  return database;
}

/** As the role that writes the log. */
function writerUrl({ urls }: TestDatabase, schema: SchemaName): string {
  return schema === "gateway" ? urls.gateway.operator : urls[schema].app;
}

async function withLog<Result>(
  database: TestDatabase,
  schema: SchemaName,
  work: (db: Kysely<AuditDatabase>) => Promise<Result>,
): Promise<Result> {
  const pool = new Pool({ connectionString: writerUrl(database, schema) });
  const db = new Kysely<AuditDatabase>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

function asSuperuser({ superuserUrl }: TestDatabase, sql: string): Promise<void> {
  return withClient(superuserUrl, async (client) => void (await client.query(sql)));
}

/** Runs the command as a process. */
async function verify(url: string, ...args: string[]) {
  const program = join(import.meta.dirname, "verify-audit.ts");
  const child = spawn(process.execPath, [program, "--database-url", url, ...args]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const [code] = (await once(child, "close")) as [number];
  return { code, lines: output.trim().split("\n") };
}

describe("npm run verify-audit", () => {
  test("says that all four chains are whole, and their heads", async () => {
    const { code, lines } = await verify((await setUp()).superuserUrl);
    expect(code).toBe(0);
    expect(lines).toEqual([
      ...schemaNames.map((schema): unknown =>
        expect.stringMatching(new RegExp(`^${schema}: intact, 2 entries, head ${schema}:2:[0-9a-f]{64}$`)),
      ),
      "4 intact, 0 broken",
    ]);
  });

  test.each(schemaNames)("finds an entry of %s that was changed", async (schema) => {
    const database = await setUp();
    await asSuperuser(database, `update ${schema}.audit_entry set actor = 'mallory' where sequence = 1`);
    const { code, lines } = await verify(database.superuserUrl);
    expect(code).toBe(1);
    expect(lines.filter((line) => line.includes("BROKEN"))).toEqual([
      expect.stringContaining(`${schema}: BROKEN at entry 1`),
    ]);
    expect(lines.at(-1)).toBe("3 intact, 1 broken");
  });

  test.each(schemaNames)("does not pass over the log of %s when it is not there", async (schema) => {
    const database = await setUp();
    await asSuperuser(database, `drop table ${schema}.audit_entry`);
    const { code, lines } = await verify(database.superuserUrl);
    expect(code).toBe(1);
    expect(lines).toContain(`${schema}: BROKEN, this role can read no audit table`);
  });

  test("finds, by an anchor, a chain that was cut", async () => {
    const database = await setUp();
    const head = /head (\S+)/.exec((await verify(database.superuserUrl)).lines[0]!)?.[1] ?? "";
    await asSuperuser(database, "delete from gateway.audit_entry where sequence = 2");
    expect((await verify(database.superuserUrl)).code).toBe(0);
    expect((await verify(database.superuserUrl, "--anchor", head)).code).toBe(1);
  });
});

describe("a page of a log", () => {
  async function read(database: TestDatabase, filter: Omit<AuditPage, "limit">): Promise<string[]> {
    const entries = await withLog(database, "payments", (db) =>
      readAuditEntriesBefore(db, "payments", { limit: 10, ...filter }),
    );
    return entries.map(({ action }) => action);
  }

  test("is newest first, and narrowed to what is given", async () => {
    const database = await setUp();
    const [newest] = await withLog(database, "payments", (db) =>
      readAuditEntriesBefore(db, "payments", { limit: 1 }),
    );
    const all = ["thing.undone", "thing.done"];
    expect(await read(database, {})).toEqual(all);
    expect(await read(database, { actor: "alice" })).toEqual(["thing.done"]);
    expect(await read(database, { action: "thing.undone" })).toEqual(["thing.undone"]);
    expect(await read(database, { subject: "payments" })).toEqual(all);
    expect(await read(database, { subject: "refunds" })).toEqual([]);
    expect(await read(database, { actor: "alice", action: "thing.undone" })).toEqual([]);
    expect(await read(database, { before: newest! })).toEqual(["thing.done"]);
    expect(await read(database, { from: "2100-01-01T00:00:00Z" })).toEqual([]);
    expect(await read(database, { to: "2100-01-01T00:00:00+03:00" })).toEqual(all);
  });
});
