import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AUDITOR,
  roleNames,
  schemaNames,
  type RolePasswords,
  type SchemaName,
  type SchemaUrls,
} from "@holdfast/installation";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPostgres, type Postgres } from "./postgres.ts";
import { provisionDatabase } from "./provision-database.ts";
import { withClient } from "./with-client.ts";

let home: string;
let postgres: Postgres;
let urls: SchemaUrls;

// Quoting is at stake: a password may hold anything.
const passwords = Object.fromEntries(roleNames.map((role) => [role, `'"\\%@:/ ${role}`])) as RolePasswords;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "holdfast-provision-"));
  postgres = await startPostgres({ dataDir: join(home, "data"), logFile: join(home, "log"), durable: false });
  const options = { superuserUrl: postgres.superuserUrl("postgres"), database: 'hold"fast', passwords };
  await provisionDatabase(options);
  // A second time, as at every start.
  urls = await provisionDatabase(options);
  for (const schema of schemaNames) {
    await query(
      urls[schema].owner,
      `create table secrets (id int); grant select on secrets to ${appRolesOf(schema).join(", ")}`,
    );
  }
});

afterAll(async () => {
  await postgres.stop();
  rmSync(home, { recursive: true });
});

function appRolesOf(schema: SchemaName): string[] {
  return roleNames.filter((role) => role.startsWith(`${schema}_`) && !role.endsWith("_owner"));
}

function query(url: string, sql: string): Promise<unknown[]> {
  return withClient(url, async (client) => (await client.query(sql)).rows);
}

test("each role reads its own schema without naming it, and no other one", async () => {
  for (const own of schemaNames) {
    for (const url of Object.values(urls[own])) {
      expect(await query(url, "select * from secrets")).toEqual([]);
      for (const other of schemaNames.filter((schema) => schema !== own)) {
        await expect(query(url, `select * from ${other}.secrets`)).rejects.toMatchObject({ code: "42501" });
      }
    }
  }
});

test.each([
  "create table mine (id int)",
  "create table public.mine (id int)",
  "create temporary table mine (id int)",
])("an app role may not: %s", async (sql) => {
  await expect(query(urls.payments.app, sql)).rejects.toMatchObject({ code: "42501" });
});

test("an app role may only do what a migration granted", async () => {
  await expect(query(urls.payments.app, "insert into secrets values (1)")).rejects.toMatchObject({
    code: "42501",
  });
});

test("nobody signs in as the auditor until it has a password, nor when it has none any more", async () => {
  const admin = postgres.superuserUrl("postgres");
  const url = new URL(urls.gateway.operator);
  url.username = AUDITOR;
  url.password = "of the auditor";
  const canSignIn = async () =>
    (await query(admin, `select rolcanlogin from pg_roles where rolname = '${AUDITOR}'`))[0];
  const options = { superuserUrl: admin, database: 'hold"fast', passwords };
  expect(await canSignIn()).toEqual({ rolcanlogin: false });
  await provisionDatabase({ ...options, auditorPassword: "of the auditor" });
  expect(await query(url.href, "select current_user as name")).toEqual([{ name: AUDITOR }]);
  await provisionDatabase(options);
  expect(await canSignIn()).toEqual({ rolcanlogin: false });
});

test("a second login is its role, has its limits, and signs in while it has a password", async () => {
  const options = { superuserUrl: postgres.superuserUrl("postgres"), database: 'hold"fast', passwords };
  const second = new URL(urls.payments.app);
  second.username = "payments_app_2";
  second.password = encodeURIComponent("'\"of the second");
  await expect(query(second.href, "select")).rejects.toMatchObject({ code: "28P01" });
  await provisionDatabase({ ...options, secondPasswords: { payments_app_2: "'\"of the second" } });
  const facts = `select session_user as login, current_user as role, current_setting('statement_timeout') as s,
    current_setting('lock_timeout') as l, current_setting('idle_in_transaction_session_timeout') as i`;
  expect(await query(second.href, facts)).toEqual([
    { login: "payments_app_2", role: "payments_app", s: "5s", l: "3s", i: "10s" },
  ]);
  expect(await query(second.href, "select * from secrets")).toEqual([]);
  for (const refused of [
    "select * from refunds.secrets",
    "create table mine (id int)",
    "set role refunds_app",
  ]) {
    await expect(query(second.href, refused)).rejects.toMatchObject({ code: "42501" });
  }
  // Both logins work, each with its own password.
  expect(await query(urls.payments.app, "select 1 as one")).toEqual([{ one: 1 }]);
  await provisionDatabase(options);
  await expect(query(second.href, "select")).rejects.toMatchObject({ code: "28P01" });
});

test("statements of app roles are bounded in time, migrations are not", async () => {
  const timeouts = "select current_setting('statement_timeout') as s, current_setting('lock_timeout') as l";
  expect(await query(urls.refunds.app, timeouts)).toEqual([{ s: "5s", l: "3s" }]);
  expect(await query(urls.refunds.owner, timeouts)).toEqual([{ s: "0", l: "0" }]);
});
