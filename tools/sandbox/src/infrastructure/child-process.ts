// Every long-running process of the sandbox and of the tests is started here: its output goes to one flat log file, a
// Ctrl-C in the terminal does not reach it before its turn, and stopping it takes a bounded time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { killOnExit } from "./die-with-parent.ts";

/** The end of a process: one of the two is set. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** A running child whose output goes to a log file. */
export type LoggedChild = {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  readonly exited: Promise<Exit>;
  isRunning(): boolean;
  kill(signal: NodeJS.Signals): void;
  /** The output since its start, at most the last 4 KiB. */
  logTail(): string;
  /** Sends the first signal, later the others if it still runs, and at the end of the time SIGKILL. */
  stop(options?: { signals?: NodeJS.Signals[]; withinMs?: number }): Promise<Exit>;
};

/**
 * A child ended, or did not become ready, although it should be running; the message ends with the tail of
 * its log.
 */
export class ChildFailedError extends Error {
  override name = "ChildFailedError";
  readonly code = "child_failed";
  constructor(child: LoggedChild, what: string) {
    const tail = child.logTail().trimEnd();
    super(`${child.name} ${what}\n${tail ? `${tail}\n` : ""}(its log: ${child.logFile})`);
  }
}

/** Starts a command (program first) and resolves once the program runs; rejects where it cannot be started. */
export async function spawnLogged(options: {
  name: string;
  command: string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  cwd?: string;
}): Promise<LoggedChild> {
  const [program = "", ...args] = options.command;
  mkdirSync(dirname(options.logFile), { recursive: true, mode: 0o700 });
  const log = openSync(options.logFile, "a", 0o600);
  const logStart = fstatSync(log).size;
  const child = spawn(program, args, {
    env: options.env,
    stdio: ["ignore", log, log],
    // A process group of its own, so that the terminal's Ctrl-C goes to the parent alone, which stops
    // children in order.
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  closeSync(log);
  killOnExit(child);
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  child.once("exit", (code, signal) => resolve({ code, signal }));
  await once(child, "spawn").catch((cause: unknown) => {
    throw new Error(`${options.name}: cannot run ${program}`, { cause });
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    name: options.name,
    pid: child.pid as number,
    logFile: options.logFile,
    exited,
    isRunning,
    kill: (signal) => void child.kill(signal),
    logTail: () => readTail(options.logFile, logStart),
    stop: ({ signals = ["SIGTERM" as const], withinMs = 5000 } = {}) =>
      stopChild({ kill: (signal) => void child.kill(signal), isRunning, exited }, signals, withinMs),
  };
}

/** Runs a command to its end; throws ChildFailedError unless it succeeds in time. */
export async function runLogged(
  options: Parameters<typeof spawnLogged>[0] & {
    timeoutMs: number;
    onSpawn?: ((child: LoggedChild) => void) | undefined;
    explain?: (child: LoggedChild) => string;
  },
): Promise<void> {
  const child = await spawnLogged(options);
  options.onSpawn?.(child);
  if (!(await endedWithin(child.exited, options.timeoutMs))) {
    await child.stop();
    throw new ChildFailedError(child, `took longer than ${options.timeoutMs} ms`);
  }
  if ((await child.exited).code !== 0)
    throw new ChildFailedError(child, `failed${options.explain?.(child) ?? ""}`);
}

async function stopChild(
  child: Pick<LoggedChild, "kill" | "isRunning" | "exited">,
  signals: NodeJS.Signals[],
  withinMs: number,
): Promise<Exit> {
  let patienceMs = withinMs - lastResortMs * (signals.length - 1);
  for (const signal of signals) {
    if (!child.isRunning()) break;
    child.kill(signal);
    await endedWithin(child.exited, patienceMs);
    patienceMs = lastResortMs;
  }
  if (child.isRunning()) child.kill("SIGKILL");
  return child.exited;
}

// The first signal asks for an orderly end and gets nearly all of the time; the later signals get little.
const lastResortMs = 500;

async function endedWithin(exited: Promise<Exit>, timeoutMs: number): Promise<boolean> {
  const timedOut = Promise.withResolvers<false>();
  const timer = setTimeout(() => timedOut.resolve(false), timeoutMs);
  const ended = await Promise.race([exited.then(() => true), timedOut.promise]);
  clearTimeout(timer);
  return ended;
}

const tailBytes = 4096;

function readTail(file: string, since: number): string {
  const fd = openSync(file, "r");
  try {
    const size = fstatSync(fd).size;
    const start = Math.max(since, size - tailBytes);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, start));
  } finally {
    closeSync(fd);
  }
}
