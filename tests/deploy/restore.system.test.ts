// The drill of docs/backup.md, «Without Kubernetes», on this machine: a base back-up taken under writes, WAL archived
// as it is written, an accident, and a restore to the moment before it. The whole product is restored in
// tests/e2e/restored-product.fault.test.ts.
import { appendFileSync, chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, withClient, type Postgres } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import {
  aimAt,
  archiveEverything,
  archiveSettings,
  backUp,
  makeArchive,
  untilRestored,
} from "./point-in-time.ts";

test("a database is restored to the moment before an accident, with all that was committed until then", async () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-restore-"));
  chmodSync(dir, 0o711);
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const archive = makeArchive(join(dir, "archive"));
  const production = await startWithArchive(join(dir, "production"), archive);
  onTestFinished(() => production.stop());

  await inDatabase(production, async (client) => {
    await client.query("create table payment (id int primary key)");
    await pay(client, 1, 100);
    const backup = join(dir, "restored");
    await backUp(client, join(dir, "production"), backup, () => pay(client, 101, 200));
    // startPostgres keeps the superuser's password in this file, and the copy has it too.
    cpSync(join(dir, "production.password"), `${backup}.password`);
    await pay(client, 201, 300);
    await client.query("select pg_create_restore_point('before the accident')");
    await client.query("delete from payment where id > 50");
    await archiveEverything(client, archive);
  });
  await production.stop();

  const restored = await startToRestorePoint(join(dir, "restored"), archive, "before the accident");
  onTestFinished(() => restored.stop());
  await untilRestored(restored);
  await inDatabase(restored, async (client) => {
    const { rows } = await client.query("select count(*)::int4 as count, max(id) from payment");
    expect(rows).toEqual([{ count: 300, max: 300 }]);
  });
});

function inDatabase<Result>(postgres: Postgres, work: (client: Client) => Promise<Result>): Promise<Result> {
  return withClient(postgres.superuserUrl("postgres"), work);
}

async function pay(client: Client, from: number, to: number): Promise<void> {
  await client.query("insert into payment select generate_series($1::int, $2::int)", [from, to]);
}

async function startWithArchive(dataDir: string, archive: string): Promise<Postgres> {
  const options = { dataDir, logFile: `${dataDir}.log`, durable: true };
  await (await startPostgres(options)).stop();
  const settings = Object.entries(archiveSettings(archive)).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(dataDir, "postgresql.conf"), settings.join(""));
  return await startPostgres(options);
}

async function startToRestorePoint(dataDir: string, archive: string, point: string): Promise<Postgres> {
  aimAt(dataDir, archive, point);
  return await startPostgres({ dataDir, logFile: `${dataDir}.log`, durable: true });
}
