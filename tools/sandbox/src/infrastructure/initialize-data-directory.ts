// Guarantees that a data directory is either whole or absent: initdb works under another name, which becomes the real
// one by rename when it has succeeded.
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runLogged, type LoggedChild } from "./child-process.ts";
import { postgresAccount } from "./postgres-account.ts";
import { postgresBinaries } from "./postgres-binaries.ts";

/** Creates the data directory if it is missing; returns whether it is new, and the superuser's password. */
export async function initializeDataDirectory(options: {
  dataDir: string;
  logFile: string;
  onSpawn?: ((child: LoggedChild) => void) | undefined;
}): Promise<{ created: boolean; superuserPassword: string }> {
  const { dataDir } = options;
  mkdirSync(dirname(dataDir), { recursive: true, mode: 0o711 });
  const superuserPassword = keptPassword(`${dataDir}.password`);
  if (isWhole(dataDir)) {
    refuseOtherVersion(dataDir);
    return { created: false, superuserPassword };
  }
  const unfinished = `${dataDir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  await runInitdb(unfinished, superuserPassword, options);
  renameSync(unfinished, dataDir);
  return { created: true, superuserPassword };
}

/** Written before initdb reads it, so that a directory never exists without its password. */
function keptPassword(file: string): string {
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, randomBytes(24).toString("base64url"), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, "utf8").trim();
}

function isWhole(dataDir: string): boolean {
  if (existsSync(join(dataDir, "PG_VERSION"))) return true;
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(
      `${dataDir} exists but was not created by PostgreSQL: move it away or choose another directory`,
    );
  }
  return false;
}

function refuseOtherVersion(dataDir: string): void {
  const made = readFileSync(join(dataDir, "PG_VERSION"), "utf8").trim();
  const { major } = postgresBinaries();
  if (made === major) return;
  throw new Error(
    `${dataDir} was created by PostgreSQL ${made} and cannot be read by PostgreSQL ${major}: ` +
      `delete or move away that directory to start empty, or dump it with version ${made} and restore the dump`,
  );
}

async function runInitdb(
  target: string,
  superuserPassword: string,
  options: { logFile: string; onSpawn?: ((child: LoggedChild) => void) | undefined },
): Promise<void> {
  const account = postgresAccount(target);
  const passwordFile = `${target}.password`;
  writeFileSync(passwordFile, superuserPassword, { mode: 0o600 });
  mkdirSync(target, { mode: 0o700 });
  chmodSync(target, 0o700);
  if (account.owner) {
    for (const path of [target, passwordFile]) chownSync(path, account.owner.uid, account.owner.gid);
  }
  try {
    await runLogged({
      name: "initdb",
      command: account.command([
        postgresBinaries().initdb,
        "-D",
        target,
        "--pwfile",
        passwordFile,
        ...initdbFlags,
      ]),
      env: { PATH: process.env.PATH, LC_ALL: "C" },
      logFile: options.logFile,
      timeoutMs: 120_000,
      onSpawn: options.onSpawn,
      explain: permissionHint,
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

const initdbFlags = [
  "--username=postgres",
  "--encoding=UTF8",
  // Needs no locale of the machine, and sorts the same everywhere.
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--auth-host=scram-sha-256",
  "--auth-local=scram-sha-256",
  // An unfinished directory is thrown away anyway, and the finished one is written out by the first checkpoint.
  "--no-sync",
];

/**
 * PostgreSQL started by root runs without root's right to pass every directory. The message says so, since
 * this is surprising.
 */
function permissionHint(child: LoggedChild): string {
  const denied = process.getuid?.() === 0 && child.logTail().includes("Permission denied");
  return denied
    ? ": started by root, PostgreSQL has no right to enter other users' directories; use a directory that root owns, or start as that user"
    : "";
}
