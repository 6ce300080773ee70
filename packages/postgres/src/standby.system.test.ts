// A failover between two real servers: a primary and its streaming standby, behind one name.
import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, withClient, type Postgres } from "@holdfast/sandbox/infrastructure";
import { createLogger } from "@holdfast/service-runtime";
import { startTestLink, type TestLink } from "@holdfast/tests/support";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseCheck } from "./ask-clock.ts";
import { createPool } from "./postgres.ts";

let home: string;
let primary: Postgres;
let standby: Postgres;
let link: TestLink;
let pool: Pool;

const start = (name: string) =>
  startPostgres({ dataDir: join(home, name), logFile: join(home, `${name}.log`), durable: false });

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "holdfast-standby-"));
  const first = await start("primary");
  await withClient(first.superuserUrl("postgres"), (client) =>
    client.query("create table payment (id int); select pg_create_physical_replication_slot('standby')"),
  );
  // A copy of a server that was stopped is a whole one, and needs no program that makes base back-ups.
  await first.stop();
  for (const suffix of ["", ".password"])
    cpSync(join(home, `primary${suffix}`), join(home, `standby${suffix}`), { recursive: true });
  primary = await start("primary");
  const { username, password, port } = new URL(primary.superuserUrl("postgres"));
  appendFileSync(
    join(home, "standby", "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${decodeURIComponent(password)}'\nprimary_slot_name = 'standby'\n`,
  );
  writeFileSync(join(home, "standby", "standby.signal"), "");
  standby = await start("standby");
  link = await startTestLink(standby.superuserUrl("postgres"));
  pool = createPool({
    url: link.url,
    connectionsMax: 3,
    applicationName: "test",
    log: createLogger("test", "silent"),
  });
});

afterAll(async () => {
  await pool.end();
  await link.close();
  await Promise.all([primary.stop(), standby.stop()]);
  rmSync(home, { recursive: true });
});

const pay = () => pool.query("insert into payment values (1)");
const isReady = async () => await databaseCheck(pool).check();

/** Three open connections at the server that the name leads to, two of them idle afterwards. */
async function occupyAll() {
  const all = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
  for (const connection of all.slice(1)) connection.release();
  return all[0];
}

test("no connection stays at a server that takes no writes, idle or in use", async () => {
  const inUse = await occupyAll();
  await expect(pay()).rejects.toMatchObject({ code: "25006" });
  expect(pool.totalCount).toBe(1);
  link.moveTo(primary.superuserUrl("postgres"));
  await pay();
  // One that a unit of work has is its own until it returns it.
  await expect(inUse.query("insert into payment values (1)")).rejects.toMatchObject({ code: "25006" });
  inUse.release();
  for (let paid = 0; paid < 4; paid++) await pay();
});

test("a process is not ready at a standby, and looking has its pool leave it", async () => {
  await isReady();
  link.moveTo(standby.superuserUrl("postgres"));
  link.cut();
  link.mend();
  (await occupyAll()).release();
  await expect(isReady()).rejects.toThrow("takes no writes");
  expect(pool.totalCount).toBe(0);
});

test("payments are taken again as soon as the standby is promoted", async () => {
  await expect(pay()).rejects.toMatchObject({ code: "25006" });
  primary.kill();
  await primary.exited;
  await withClient(standby.superuserUrl("postgres"), (client) => client.query("select pg_promote()"));
  await pay();
  await isReady();
  expect((await pool.query("select from payment")).rowCount).toBe(6);
});
