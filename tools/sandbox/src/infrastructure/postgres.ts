// The embedded PostgreSQL: the real server, on 127.0.0.1 alone, with a password, needing neither a user nor a package of
// the machine.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ChildFailedError, spawnLogged, type Exit, type LoggedChild } from "./child-process.ts";
import { freePort } from "./free-port.ts";
import { initializeDataDirectory } from "./initialize-data-directory.ts";
import { postgresAccount } from "./postgres-account.ts";
import { postgresBinaries } from "./postgres-binaries.ts";
import { withClient } from "./with-client.ts";

/** A running PostgreSQL. */
export type Postgres = {
  port: number;
  pid: number;
  /** True if this start made the data directory. */
  created: boolean;
  exited: Promise<Exit>;
  superuserUrl(database: string): string;
  /** Ends all sessions, writes a checkpoint and stops; past the time it is stopped hard and recovers at its next start. */
  stop(options?: { withinMs?: number }): Promise<void>;
  kill(): void;
};

/** Options of `startPostgres`. `durable: false` is for tests: faster, and a power cut may ruin the data. */
export type PostgresOptions = {
  dataDir: string;
  logFile: string;
  durable: boolean;
  port?: number;
  /** Told of each process as it starts, before it answers, so that a caller who gives up can stop it. */
  onSpawn?: (child: LoggedChild) => void;
};

/** Starts PostgreSQL on a data directory, made if it is missing, and resolves when it takes connections. */
export async function startPostgres(given: PostgresOptions): Promise<Postgres> {
  const options = { ...given, dataDir: resolve(given.dataDir) };
  const { created, superuserPassword } = await initializeDataDirectory(options);
  await previousServerGone(options.dataDir);
  const deadline = Date.now() + retryForMs;
  for (;;) {
    const port = options.port ?? (await freePort());
    const superuserUrl = (database: string) =>
      `postgres://postgres:${encodeURIComponent(superuserPassword)}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
    const child = await launch(options, port);
    try {
      await answers(child, superuserUrl("postgres"));
      return { ...handle(child, port), created, superuserUrl };
    } catch (error) {
      await child.stop({ signals: ["SIGINT"] });
      if (!isPassing(child, options) || Date.now() > deadline) throw error;
      await delay(retryPauseMs);
    }
  }
}

async function launch(options: PostgresOptions, port: number): Promise<LoggedChild> {
  const settings = { ...commonSettings, ...(options.durable ? {} : volatileSettings), port };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const program = [postgresBinaries().postgres, "-D", options.dataDir, ...flags];
  const child = await spawnLogged({
    name: "postgres",
    command: postgresAccount(options.dataDir).command(program),
    // A clean environment: PGDATA, PGOPTIONS and the like of the developer's shell are about another server.
    env: { PATH: process.env.PATH, LC_ALL: "C" },
    logFile: options.logFile,
  });
  options.onSpawn?.(child);
  return child;
}

const commonSettings = {
  listen_addresses: "127.0.0.1",
  // Unix sockets are off: their paths are limited to about 100 characters, and nothing here uses them.
  unix_socket_directories: "",
  max_connections: 400,
  shared_buffers: "128MB",
  timezone: "UTC",
  log_timezone: "UTC",
  // Parameters can be secrets of merchants: they never reach the server's log, not even with a failing statement.
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
};

const volatileSettings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  // A test run has hundreds of databases that live for seconds: the round of the vacuum would open several a second.
  autovacuum: "off",
  // Their passwords are known to everybody, and each of thousands of connections would stretch its own again.
  scram_iterations: 1,
};

async function answers(child: LoggedChild, url: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    if (!child.isRunning()) throw new ChildFailedError(child, "stopped while starting");
    const failure = await connectOnce(url);
    if (!failure) return;
    if (failure.code === "28P01") {
      throw new ChildFailedError(
        child,
        "does not accept the password in the .password file beside its data directory",
      );
    }
    if (Date.now() > deadline)
      throw new ChildFailedError(child, `did not accept connections within ${startTimeoutMs} ms`);
    await delay(20);
  }
}

async function connectOnce(url: string): Promise<{ code?: string } | undefined> {
  return withClient(url, () => Promise.resolve(undefined)).catch((error: { code?: string }) => error);
}

function handle(child: LoggedChild, port: number): Omit<Postgres, "created" | "superuserUrl"> {
  return {
    port,
    pid: child.pid,
    exited: child.exited,
    // SIGINT ends sessions and writes a checkpoint; SIGQUIT gives up the checkpoint but still takes the backends along.
    stop: async ({ withinMs = 10_000 } = {}) =>
      void (await child.stop({ signals: ["SIGINT", "SIGQUIT"], withinMs })),
    kill: () => child.kill("SIGKILL"),
  };
}

/**
 * Waits for the server of a killed sandbox, which may still be writing its last checkpoint. If another
 * program has got the pid in postmaster.pid since (usual in containers), the file would keep PostgreSQL from
 * starting, so it is removed.
 */
async function previousServerGone(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, "postmaster.pid");
  const deadline = Date.now() + retryForMs;
  while (existsSync(pidFile)) {
    const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    if (!isPostgresOn(dataDir, pid)) return rmSync(pidFile, { force: true });
    if (Date.now() > deadline) {
      throw new Error(`another PostgreSQL (pid ${pid}) runs on ${dataDir}: stop it with kill -INT ${pid}`);
    }
    await delay(50);
  }
}

function isPostgresOn(dataDir: string, pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const proc = `/proc/${pid}/cmdline`;
  const commandLine = existsSync("/proc/self")
    ? existsSync(proc) && readFileSync(proc, "utf8")
    : spawnSync("ps", ["-o", "command=", "-p", `${pid}`], { encoding: "utf8" }).stdout;
  return commandLine !== false && commandLine.includes("postgres") && commandLine.includes(dataDir);
}

/** Failures that pass by themselves: the backends of a killed server are not all gone yet, or a chosen port was taken. */
function isPassing(child: LoggedChild, options: PostgresOptions): boolean {
  const log = child.logTail();
  if (/pre-existing shared memory block|lock file "postmaster.pid"/.test(log)) return true;
  return options.port === undefined && log.includes("Address already in use");
}

const retryForMs = 60_000;
const retryPauseMs = 100;
// Recovery after a crash replays at most about 1 GB of log.
const startTimeoutMs = 120_000;
