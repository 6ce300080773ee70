// A managed PostgreSQL (RDS, Cloud SQL, Azure) has an administrator who may create roles and databases but is
// no superuser. The test has a server of its own, since roles belong to a whole server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  appRoleNames,
  provisionDatabase,
  roleNames,
  schemaNames,
  secondLoginOf,
} from "@holdfast/installation";
import { startPostgres, withClient } from "@holdfast/sandbox/infrastructure";
import { expect, onTestFinished, test } from "vitest";

test("an administrator who is no superuser installs, may repeat it, and reads no schema afterwards", async () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-managed-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const server = await startPostgres({
    dataDir: join(dir, "data"),
    logFile: join(dir, "log"),
    durable: false,
  });
  onTestFinished(() => server.stop());
  await withClient(server.superuserUrl("postgres"), (client) =>
    client.query("create role administrator login password 'admin' createrole createdb"),
  );
  const administrator = new URL(server.superuserUrl("postgres"));
  administrator.username = "administrator";
  administrator.password = "admin";
  const install = (password: string) =>
    provisionDatabase({
      superuserUrl: administrator.href,
      database: "holdfast",
      passwords: Object.fromEntries(roleNames.map((role) => [role, password])) as never,
      secondPasswords: Object.fromEntries(appRoleNames.map((role) => [secondLoginOf(role), password])),
      auditorPassword: password,
    });
  await install("first");
  const urls = await install("second");

  for (const schema of schemaNames) {
    const owner = (urls[schema] as Record<"owner", string>).owner;
    await withClient(owner, (client) => client.query("create table kept as select 1 as secret"));
    const admin = new URL(owner);
    [admin.username, admin.password] = ["administrator", "admin"];
    await withClient(admin.href, async (client) => {
      await expect(client.query(`select * from ${schema}.kept`)).rejects.toThrow("permission denied");
    });
  }
  await withClient(urls.payments.app, async (client) => {
    const { rows } = await client.query(
      "select current_user as who, current_setting('statement_timeout') as limit, current_schema as schema",
    );
    expect(rows).toEqual([{ who: "payments_app", limit: "5s", schema: "payments" }]);
  });
  const second = new URL(urls.payments.app);
  second.username = "payments_app_2";
  await withClient(second.href, async (client) => {
    expect((await client.query("select current_user as who")).rows).toEqual([{ who: "payments_app" }]);
  });
});
