import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auditedSchemas, withClient } from "@holdfast/sandbox/infrastructure";
import { holdfast, type TestDatabase } from "@holdfast/tests/support";
import { sql, type Kysely } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { append, auditedDatabase, withLog } from "../test/audited-database.ts";
import { auditHash, GENESIS } from "./audit-chain.ts";
import { readAuditEntries, type AuditDatabase } from "./audit-log.ts";
import { verifyAudit } from "./verify-audit-command.ts";

function asSuperuser({ superuserUrl }: TestDatabase, statement: string): Promise<void> {
  return withClient(superuserUrl, async (client) => void (await client.query(statement)));
}

/** Runs the command as a process. */
async function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const [node = "", ...program] = await holdfast("verify-audit", ...args);
  const inherited = { ...process.env, AUDIT_DATABASE_URL: "", DATABASE_URL: "" };
  const child = spawn(node, program, { env: { ...inherited, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const [code] = (await once(child, "close")) as [number];
  return { code, lines: output.trim().split("\n") };
}

const runOn = ({ superuserUrl }: TestDatabase, ...args: string[]) =>
  run(["--database-url", superuserUrl, ...args]);

/** Runs the command in this process, which saves the second that starting one takes. */
async function verify({ superuserUrl }: TestDatabase, ...args: string[]) {
  let output = "";
  const code = await verifyAudit(["--database-url", superuserUrl, ...args], {}, (text) => (output += text));
  return { code, lines: output.trim().split("\n") };
}

/** A directory with the log of a service, as a collector keeps it. */
function keepLog(...lines: string[]): { directory: string; file: string } {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-anchors-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "refunds.log");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return { directory, file };
}

/** The heads that the command prints, as the services log them. */
function logLinesOf(lines: string[]): string[] {
  return lines.flatMap((line) => {
    const [, chain, sequence, hash] = /head (\w+):(\d+):(\w+)$/.exec(line) ?? [];
    const head = { chain, sequence: Number(sequence), hash, at: "2026-11-20T12:00:00.000Z" };
    return chain ? [JSON.stringify({ level: "info", service: chain, head, msg: "audit head" })] : [];
  });
}

/** Rewrites as the owner of the schema can: a rewritten entry gets a correct hash. */
async function rehash(db: Kysely<AuditDatabase>): Promise<void> {
  let previous: Buffer = GENESIS;
  for await (const entry of readAuditEntries(db, "refunds")) {
    previous = auditHash(previous, entry);
    await sql`update audit_entry set hash = ${previous} where sequence = ${entry.sequence}`.execute(db);
  }
}

describe("npm run verify-audit", () => {
  test("says which database it checks, that all five chains are whole, and their heads", async () => {
    const database = await auditedDatabase();
    const { hostname, port, username } = new URL(database.superuserUrl);
    const { code, lines } = await runOn(database);
    expect(code).toBe(0);
    expect(lines).toEqual([
      `database ${database.name} on ${hostname}:${port} as ${username}`,
      ...auditedSchemas.map((schema): unknown =>
        expect.stringMatching(
          new RegExp(`^${schema}: intact, 2 entries, 0 anchors found, head ${schema}:2:[0-9a-f]{64}$`),
        ),
      ),
      "no anchors were given: a chain that its owner has rewritten looks intact",
      "5 intact, 0 broken",
    ]);
  });

  test("takes the database that it is told, AUDIT_DATABASE_URL before DATABASE_URL, and never shows a password", async () => {
    const database = await auditedDatabase();
    const elsewhere = "postgres://someone:hush@127.0.0.1:1/nowhere";
    const url = database.superuserUrl;
    for (const { args = [], env } of [
      { args: ["--database-url", url], env: { AUDIT_DATABASE_URL: elsewhere, DATABASE_URL: elsewhere } },
      { env: { AUDIT_DATABASE_URL: url, DATABASE_URL: elsewhere } },
      { env: { DATABASE_URL: url } },
    ]) {
      const { code, lines } = await run(args, env);
      expect(lines[0]).toContain(`database ${database.name} on `);
      expect(code).toBe(0);
    }
    const unreachable = await run([], { DATABASE_URL: elsewhere });
    expect(unreachable).toMatchObject({ code: 2 });
    expect(unreachable.lines.join()).toContain("database nowhere on 127.0.0.1:1 as someone");
    expect(unreachable.lines.join()).not.toContain("hush");
    expect(await run(["--home", "/nowhere"], { DATABASE_URL: url })).toMatchObject({ code: 2 });
    expect(await run(["--home", "/nowhere", "--database-url", url])).toMatchObject({ code: 2 });
  });

  test.each(auditedSchemas)("finds an entry of %s that was changed", async (schema) => {
    const database = await auditedDatabase();
    await asSuperuser(database, `update ${schema}.audit_entry set actor = 'mallory' where sequence = 1`);
    const { code, lines } = await verify(database);
    expect(code).toBe(1);
    expect(lines.filter((line) => line.includes("BROKEN"))).toEqual([
      expect.stringContaining(`${schema}: BROKEN at entry 1`),
    ]);
    expect(lines.at(-1)).toBe("4 intact, 1 broken");
  });

  test.each(auditedSchemas)("does not pass over the log of %s when it is not there", async (schema) => {
    const database = await auditedDatabase();
    await asSuperuser(database, `drop table ${schema}.audit_entry`);
    const { code, lines } = await verify(database);
    expect(code).toBe(1);
    expect(lines).toContain(`${schema}: BROKEN, this role can read no audit table`);
  });

  test("finds a back-dated entry that the service's own role has appended", async () => {
    const database = await auditedDatabase();
    await withLog(database, "payments", async (db) => {
      await append(db, "alice");
      const newest = await db
        .selectFrom("audit_entry")
        .selectAll()
        .where("sequence", "=", 3n)
        .executeTakeFirst();
      const content = { ...newest!, sequence: 4n, at: new Date("2026-01-01T00:00:00Z") };
      const hash = auditHash(newest!.hash, content);
      const { sequence, at, actor, action, subject, detail } = content;
      await db
        .insertInto("audit_entry")
        .values({ sequence, at, actor, action, subject, detail, hash })
        .execute();
    });
    const { code, lines } = await runOn(database);
    expect(code).toBe(1);
    expect(lines).toContain(
      "payments: BROKEN at entry 4 (time: it is dated before its predecessor, or in the future)",
    );
  });
});

describe("a chain that the owner of its schema has rewritten", () => {
  test("looks intact by itself, and is broken against the heads in a service's log", async () => {
    const database = await auditedDatabase();
    const before = await verify(database);
    const { directory, file } = keepLog("starting", '{"msg":"request"}', ...logLinesOf(before.lines), "{");
    const withAnchors = await verify(database, "--anchors", file);
    expect(withAnchors.code).toBe(0);
    expect(withAnchors.lines).toContainEqual(
      expect.stringContaining("refunds: intact, 2 entries, 1 anchors found"),
    );

    await withLog(
      database,
      "refunds",
      async (db) => {
        await sql`update audit_entry set actor = 'carol' where actor = 'bora'`.execute(db);
        await rehash(db);
      },
      "owner",
    );
    expect(await verify(database)).toMatchObject({ code: 0 });
    for (const path of [file, directory]) {
      const { code, lines } = await verify(database, "--anchors", path);
      expect(code).toBe(1);
      expect(lines).toContainEqual(
        expect.stringMatching(
          /^refunds: BROKEN at entry 2 \(anchor: the chain was cut or rewritten, refunds:2:\w{64} is not in the chain\)$/,
        ),
      );
      expect(lines.at(-1)).toBe("4 intact, 1 broken");
    }
  });

  test("that is, its last entry is gone, is broken against a head that was printed", async () => {
    const database = await auditedDatabase();
    const head = /head (refunds\S+)/.exec((await verify(database)).lines.join("\n"))?.[1] ?? "";
    await withLog(
      database,
      "refunds",
      (db) => sql`delete from audit_entry where sequence = 2`.execute(db),
      "owner",
    );
    expect(await verify(database)).toMatchObject({ code: 0 });
    const { code, lines } = await verify(database, "--anchor", head);
    expect(code).toBe(1);
    expect(lines).toContainEqual(expect.stringContaining(`${head} is not in the chain`));
  });

  test("is not looked for in a file without a head, or with one that is none: nothing was verified", async () => {
    const database = await auditedDatabase();
    const { file } = keepLog('{"msg":"request"}');
    expect(await runOn(database, "--anchors", file)).toMatchObject({ code: 2 });
    await expect(verify(database, "--anchors", "/nowhere/heads")).rejects.toThrow("/nowhere/heads");
    await expect(verify(database, "--anchor", "refunds:2:ab")).rejects.toThrow("refunds:2:ab");
  });

  test("is, in a directory that is empty, said to be what cannot be seen", async () => {
    const database = await auditedDatabase();
    const empty = join(keepLog("").directory, "empty");
    mkdirSync(empty);
    const { code, lines } = await verify(database, "--anchors", empty);
    expect(code).toBe(0);
    expect(lines).toContain("no anchors were given: a chain that its owner has rewritten looks intact");
  });
});
