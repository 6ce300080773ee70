// A base back-up and a restore to a point in time, as docs/backup.md has them under «Without Kubernetes». PostgreSQL's
// own low-level interface does what pg_basebackup does, because the embedded server comes without that program.
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { withClient, type Postgres } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import { eventually } from "../support/index.ts";

/** A directory that PostgreSQL, which runs under an account of its own, may write its archive into. */
export function makeArchive(dir: string): string {
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o777);
  return dir;
}

/** The settings with which WAL is archived as it is written; they require a restart of the server. */
export function archiveSettings(archive: string): Record<string, string> {
  return { archive_mode: "on", archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f` };
}

/** @param meanwhile writes while the files are copied. */
export async function backUp(
  client: Client,
  dataDir: string,
  target: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  await client.query("select pg_backup_start('drill', fast => true)");
  await meanwhile();
  copyWhileWritten(dataDir, target, (path) => path.startsWith(join(dataDir, "pg_wal", "0")));
  const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
  writeFileSync(join(target, "backup_label"), rows[0]!.labelfile);
}

/**
 * Leaves out a file that goes while its directory is copied, as pg_basebackup does: PostgreSQL removes caches and
 * temporary files at any time, and the WAL of the back-up repeats its other removals.
 */
function copyWhileWritten(from: string, to: string, isLeftOut: (path: string) => boolean): void {
  mkdirSync(to, { mode: statSync(from).mode });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = join(from, entry.name);
    if (isLeftOut(path) || NEVER_COPIED.has(entry.name)) continue;
    try {
      if (entry.isDirectory()) copyWhileWritten(path, join(to, entry.name), isLeftOut);
      else copyFileSync(path, join(to, entry.name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || existsSync(path)) throw error;
    }
  }
}
const NEVER_COPIED: ReadonlySet<string> = new Set(["postmaster.pid", "pg_internal.init"]);

/** Ends the segment that is being written, and waits until it is in the archive. */
export async function archiveEverything(client: Client, archive: string): Promise<void> {
  const { rows } = await client.query<{ file: string }>("select pg_walfile_name(pg_switch_wal()) as file");
  await eventually(() => readdirSync(archive).includes(rows[0]!.file));
}

/** Has the copy recover to a named point when it is started, and take writes from there on. */
export function aimAt(dataDir: string, archive: string, point: string): void {
  // Read after every other file of settings.
  appendFileSync(
    join(dataDir, "postgresql.auto.conf"),
    `archive_mode = off
restore_command = 'cp ${archive}/%f %p'
recovery_target_name = '${point}'
recovery_target_action = promote
`,
  );
  writeFileSync(join(dataDir, "recovery.signal"), "");
}

/** Resolves when recovery is over. */
export async function untilRestored(postgres: Postgres): Promise<void> {
  await withClient(postgres.superuserUrl("postgres"), async (client) => {
    await eventually(async () => {
      const { rows } = await client.query<{ restoring: boolean }>("select pg_is_in_recovery() as restoring");
      return !rows[0]!.restoring;
    });
  });
}
