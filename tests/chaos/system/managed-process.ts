import { readFileSync } from "node:fs";
import { eventually } from "../../support/index.ts";
import {
  ChildFailedError,
  spawnLogged,
  withParentDeathSignal,
  type Exit,
  type LoggedChild,
} from "@holdfast/sandbox/infrastructure";

export type ProgramOptions = {
  name: string;
  /** The program and its arguments, for `node`. */
  command: string[];
  env: Record<string, string>;
  logFile: string;
  /** Answers 200 when the process does its work. */
  readyUrl: string;
};

/** One real process of the system, which a test ends, stops and starts again as it likes. */
export class ManagedProcess {
  readonly name: string;
  /** The number of times that it has ended by itself: neither by a signal nor on request. */
  selfEnded = 0;
  readonly #options: ProgramOptions;
  #child: LoggedChild | undefined;
  #isAskedToEnd = false;

  constructor(options: ProgramOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Starts it, with `env` on top of its own for this life only, and resolves when it is ready. */
  async start(env: Record<string, string> = {}): Promise<void> {
    await this.spawn(env);
    await this.untilReady();
  }

  /** Starts it without waiting: its dependencies may be down. */
  async spawn(env: Record<string, string> = {}): Promise<void> {
    if (this.isRunning()) throw new Error(`${this.name} runs already`);
    this.#isAskedToEnd = false;
    const child = await spawnLogged({
      name: this.name,
      // The process ends with a test run that is killed.
      command: withParentDeathSignal("KILL", [process.execPath, ...this.#options.command]),
      env: { ...inherited(), ...this.#options.env, ...env },
      logFile: this.#options.logFile,
    });
    this.#child = child;
    void this.#watch(child);
  }

  async untilReady({ withinMs = READY_TIMEOUT_MS } = {}): Promise<void> {
    await eventually(async () => (await this.isReady()) || this.#hasDied(), { withinMs, everyMs: 25 });
    if (this.#child && !this.isRunning()) throw new ChildFailedError(this.#child, "stopped while starting");
  }

  async isReady(): Promise<boolean> {
    try {
      const response = await fetch(this.#options.readyUrl, { signal: AbortSignal.timeout(2_000) });
      await response.body?.cancel();
      return response.status === 200;
    } catch {
      return false;
    }
  }

  isRunning(): boolean {
    return this.#child?.isRunning() ?? false;
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    if (this.isRunning()) this.#child?.kill("SIGKILL");
    await this.exited();
  }

  /** SIGSTOP: it stands still and holds everything it has. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  /** SIGCONT. */
  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  /** SIGTERM; resolves when it has ended, by itself or, past the time, by SIGKILL. */
  async terminate({ withinMs = 10_000 } = {}): Promise<Exit | undefined> {
    this.#isAskedToEnd = true;
    return await this.#child?.stop({ withinMs });
  }

  /** Kills it if it runs, and starts it again. */
  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.kill();
    await this.start(env);
  }

  async exited(): Promise<Exit | undefined> {
    return await this.#child?.exited;
  }

  /** Everything it has written in all its lives. */
  log(): string {
    return readFileSync(this.#options.logFile, "utf8");
  }

  async #watch(child: LoggedChild): Promise<void> {
    const { code } = await child.exited;
    if (code !== null && !this.#isAskedToEnd) this.selfEnded++;
  }

  #hasDied(): boolean {
    return this.#child !== undefined && !this.isRunning();
  }
}

const READY_TIMEOUT_MS = 120_000;

/** PG* would redirect a database client, OTEL_* would export from tests, and failpoints are set process by process. */
function inherited(): Record<string, string> {
  const withheld = /^(PG|OTEL_|FAILPOINTS$|VITEST|NODE_ENV$)/;
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (variable): variable is [string, string] => variable[1] !== undefined && !withheld.test(variable[0]),
    ),
  );
}
