import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres, type Postgres } from "./postgres.ts";
import { withClient } from "./with-client.ts";

let home: string;
const running: Postgres[] = [];

beforeAll(() => {
  // The path has a space, because homes may have one.
  home = mkdtempSync(join(tmpdir(), "holdfast postgres-"));
});

afterAll(async () => {
  for (const postgres of running) await postgres.stop();
  rmSync(home, { recursive: true });
});

async function start(name: string, options: { port?: number } = {}): Promise<Postgres> {
  const dataDir = join(home, name);
  const postgres = await startPostgres({ dataDir, logFile: `${dataDir}.log`, durable: false, ...options });
  running.push(postgres);
  return postgres;
}

function query(url: string, sql: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query(sql)).rows);
}

test("data survives a clean stop and a kill, and the same port can be had again", async () => {
  const first = await start("kept");
  await query(
    first.superuserUrl("postgres"),
    "create table notes (text text); insert into notes values ('kept')",
  );
  await first.stop();
  const second = await start("kept", { port: first.port });
  expect(second).toMatchObject({ created: false, port: first.port });
  second.kill();
  await second.exited;
  const third = await start("kept", { port: first.port });
  expect(await query(third.superuserUrl("postgres"), "select text from notes")).toEqual([{ text: "kept" }]);
});

test("only who knows the password gets in, and it is kept where others cannot read it", async () => {
  const postgres = await start("locked");
  expect(postgres.created).toBe(true);
  const wrong = new URL(postgres.superuserUrl("postgres"));
  wrong.password = "wrong";
  await expect(query(wrong.href, "select 1")).rejects.toMatchObject({ code: "28P01" });
  expect(statSync(join(home, "locked.password")).mode & 0o777).toBe(0o600);
});

test("a directory of another major version is refused with what to do", async () => {
  const dataDir = join(home, "old");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "PG_VERSION"), "17\n");
  await expect(start("old")).rejects.toThrow(
    /created by PostgreSQL 17.*cannot be read by PostgreSQL 18.*delete or move away/,
  );
});

test("a directory that is not PostgreSQL's is left alone", async () => {
  const dataDir = join(home, "other");
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "letter.txt"), "dear");
  await expect(start("other")).rejects.toThrow("was not created by PostgreSQL");
  expect(readFileSync(join(dataDir, "letter.txt"), "utf8")).toBe("dear");
});

test("a half-made directory and a lock file that names another program do not stand in the way", async () => {
  mkdirSync(join(home, "interrupted.unfinished"));
  writeFileSync(join(home, "interrupted.unfinished", "PG_VERSION"), "18\n");
  const first = await start("interrupted");
  first.kill();
  await first.exited;
  const lockFile = join(home, "interrupted", "postmaster.pid");
  writeFileSync(lockFile, readFileSync(lockFile, "utf8").replace(/^\d+/, `${process.pid}`));
  const second = await start("interrupted");
  expect(await query(second.superuserUrl("postgres"), "select 1 as one")).toEqual([{ one: 1 }]);
});

test("failing statements leave no parameters in the log", async () => {
  const postgres = await start("quiet");
  await withClient(postgres.superuserUrl("postgres"), async (client) => {
    const failing = client.query("select 1 / (length($1) - 6)", ["secret"]);
    await expect(failing).rejects.toThrow("division by zero");
  });
  const log = readFileSync(join(home, "quiet.log"), "utf8");
  expect(log).toContain("division by zero");
  expect(log).not.toContain("secret");
});
