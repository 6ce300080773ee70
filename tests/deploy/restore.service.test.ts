// The drill of docs/backup.md, «Without Kubernetes», on this machine: a base back-up taken under writes, WAL archived
// as it is written, an accident, and a restore to the moment before it. PostgreSQL's own low-level interface does what
// pg_basebackup does, because the embedded server comes without that program.
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, withClient, type Postgres } from "@holdfast/sandbox/infrastructure";
import { eventually } from "../support/index.ts";
import type { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";

test("a database is restored to the moment before an accident, with all that was committed until then", async () => {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-restore-"));
  chmodSync(dir, 0o711);
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const archive = join(dir, "archive");
  mkdirSync(archive);
  chmodSync(archive, 0o777);
  const production = await startWithArchive(join(dir, "production"), archive);
  onTestFinished(() => production.stop());

  await inDatabase(production, async (client) => {
    await client.query("create table payment (id int primary key)");
    await pay(client, 1, 100);
    const backup = join(dir, "restored");
    await backUp(client, join(dir, "production"), backup, () => pay(client, 101, 200));
    await pay(client, 201, 300);
    await client.query("select pg_create_restore_point('before the accident')");
    await client.query("delete from payment where id > 50");
    const { rows } = await client.query<{ file: string }>("select pg_walfile_name(pg_switch_wal()) as file");
    await eventually(() => expect(readdirSync(archive)).toContain(rows[0]!.file));
  });
  await production.stop();

  const restored = await startToRestorePoint(join(dir, "restored"), archive, "before the accident");
  onTestFinished(() => restored.stop());
  await inDatabase(restored, async (client) => {
    await eventually(async () => {
      const { rows } = await client.query("select pg_is_in_recovery() as restoring");
      expect(rows).toEqual([{ restoring: false }]);
    });
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
  appendFileSync(
    join(dataDir, "postgresql.conf"),
    `archive_mode = on\narchive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'\n`,
  );
  return await startPostgres(options);
}

/** @param meanwhile what is written while the files are copied. */
async function backUp(
  client: Client,
  dataDir: string,
  target: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  await client.query("select pg_backup_start('drill', fast => true)");
  await meanwhile();
  const isLeftOut = (path: string) =>
    path.startsWith(join(dataDir, "pg_wal", "0")) || path.endsWith("postmaster.pid");
  cpSync(dataDir, target, { recursive: true, filter: (path) => !isLeftOut(path) });
  // Where startPostgres keeps the superuser's password, which is in the copy too.
  cpSync(`${dataDir}.password`, `${target}.password`);
  const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
  writeFileSync(join(target, "backup_label"), rows[0]!.labelfile);
}

async function startToRestorePoint(dataDir: string, archive: string, point: string): Promise<Postgres> {
  appendFileSync(
    join(dataDir, "postgresql.conf"),
    `archive_mode = off
restore_command = 'cp ${archive}/%f %p'
recovery_target_name = '${point}'
recovery_target_action = promote
`,
  );
  writeFileSync(join(dataDir, "recovery.signal"), "");
  return await startPostgres({ dataDir, logFile: `${dataDir}.log`, durable: true });
}
