// A home belongs to one sandbox at a time: its lock names the process that holds it.
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { renameSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sandboxFileName } from "./sandbox-file.ts";

export type Home = { dir: string; release(): void };

/**
 * Takes a home for this process, made where it is missing.
 *
 * @throws while another sandbox runs on it, and where its data are of a version before 0.1.0, before it changes anything.
 */
export async function openHome(dir: string): Promise<Home> {
  refuseFormerHome(dir);
  // Other users may pass through, but not list the directory: under root PostgreSQL may run as another user (see
  // postgres-account.ts).
  mkdirSync(dir, { recursive: true, mode: 0o711 });
  mkdirSync(join(dir, "logs"), { recursive: true, mode: 0o700 });
  writeFileSync(join(dir, SINCE_FILE), `${SINCE}\n`);
  const lock = join(dir, "sandbox.lock");
  for (let attempt = 0; !tryLock(lock); attempt++) {
    const holder = holderOf(lock);
    if (holder && isAlive(holder)) {
      throw new Error(
        `a sandbox (pid ${holder.pid}) already runs on ${dir}: stop it, or choose another --home`,
      );
    }
    // An empty lock is either being written this very moment or was left by a crash in that moment.
    if (holder || attempt >= emptyLockAttemptsMax) breakLock(lock, holder);
    else await delay(20);
  }
  // Left by a sandbox that was killed: a program that waits for this file must not see the old one.
  rmSync(join(dir, sandboxFileName), { force: true });
  setAsideLongLogs(join(dir, "logs"));
  return { dir, release: () => rmSync(lock, { force: true }) };
}

/** Names the first version from which a home can be used; older homes do not have this file. */
const SINCE_FILE = "usable-since";
const SINCE = "0.1.0";

function refuseFormerHome(dir: string): void {
  if (!existsSync(join(dir, "secrets.json")) || existsSync(join(dir, SINCE_FILE))) return;
  const near = relative(process.cwd(), dir);
  const name = near === "" || near.startsWith("..") ? dir : near;
  const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
  throw new Error(
    `${name} has the data of a version before ${SINCE}, which this version cannot use; nothing was changed.\n` +
      `Set it aside and start again: mv ${quoted(name)} ${quoted(`${name}-before-${SINCE}`)}`,
  );
}

type Holder = { pid: number; started: string };

const emptyLockAttemptsMax = 25;

function tryLock(lock: string): boolean {
  try {
    const fd = openSync(lock, "wx", 0o600);
    writeSync(fd, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
    closeSync(fd);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(lock: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(lock, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

/** True if the process is alive; the start time shows whether another process has got the number since. */
function isAlive(holder: Holder): boolean {
  return startOf(holder.pid) === holder.started;
}

function startOf(pid: number): string | undefined {
  const stat = `/proc/${pid}/stat`;
  if (existsSync("/proc/self/stat")) {
    if (!existsSync(stat)) return undefined;
    // The second field is the program's name in parentheses and may hold spaces; the start is the 22nd field.
    return readFileSync(stat, "utf8").split(") ").at(-1)?.split(" ")[19];
  }
  return spawnSync("ps", ["-o", "lstart=", "-p", `${pid}`], { encoding: "utf8" }).stdout.trim() || undefined;
}

/**
 * The lock is renamed first. Otherwise, of two processes that find the same stale lock, one could remove the
 * lock that the other has just taken.
 */
function breakLock(lock: string, stale: Holder | undefined): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  const taken = holderOf(aside);
  if (taken?.pid === stale?.pid && taken?.started === stale?.started) rmSync(aside);
  else renameSync(aside, lock);
}

/** Logs are kept between runs, but do not grow without end. */
function setAsideLongLogs(dir: string): void {
  for (const name of readdirSync(dir).filter((file) => file.endsWith(".log"))) {
    const log = join(dir, name);
    if (statSync(log).size > logBytesMax) renameSync(log, `${log}.1`);
  }
}

const logBytesMax = 16 * 1024 * 1024;
