// Keeps processes running: a process that dies is started again, as Kubernetes would do, and all of them end
// in order and in time.
import { setTimeout as delay } from "node:timers/promises";
import type { LoggedChild } from "./infrastructure/index.ts";

/**
 * The order of the stop: processes that accept work from outside come first, and processes that others depend
 * on last.
 */
export type Stage = "edge" | "service" | "transport" | "database";

/**
 * Starts a process, reports it as soon as it runs, and resolves when it answers. Leaves nothing running if it throws.
 */
export type Launch = (onSpawn: (child: LoggedChild) => void) => Promise<void>;

type Supervised = { name: string; stage: Stage; child?: LoggedChild; answers: boolean };

export class Supervisor {
  readonly #log: (line: string) => void;
  readonly #onChange: () => void;
  readonly #supervised: Supervised[] = [];
  readonly #commands = new Set<LoggedChild>();
  readonly #stopping = new AbortController();
  #killed = false;

  /** `onChange` is called after each change of `pids()`. */
  constructor(options: { log: (line: string) => void; onChange: () => void }) {
    this.#log = options.log;
    this.#onChange = options.onChange;
  }

  /** Starts a process, and keeps it running from then on. @throws if the first start fails. */
  async start(name: string, stage: Stage, launch: Launch): Promise<void> {
    const supervised: Supervised = { name, stage, answers: false };
    this.#supervised.push(supervised);
    await this.#launch(supervised, launch);
    void this.#keepRunning(supervised, launch);
  }

  /** Takes note of a command that ends by itself, so that it is stopped with the rest. */
  track(child: LoggedChild): void {
    this.#commands.add(child);
    void child.exited.then(() => this.#commands.delete(child));
    if (this.#stopping.signal.aborted) child.kill("SIGKILL");
  }

  /** The processes that run and answer. */
  pids(): Record<string, number> {
    const answering = this.#supervised.filter(({ answers }) => answers);
    return Object.fromEntries(answering.map(({ name, child }) => [name, child?.pid ?? 0]));
  }

  /** Resolves when no process runs any longer, after at most 7.5 seconds. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const startedAt = performance.now();
    for (const child of this.#commands) child.kill("SIGKILL");
    for (const [stage, endsAfterMs] of stages) {
      const children = this.#supervised.flatMap((one) =>
        one.stage === stage && one.child ? [one.child] : [],
      );
      const withinMs = Math.max(leastPatienceMs, endsAfterMs - (performance.now() - startedAt));
      await Promise.all(children.map((child) => child.stop({ signals: signalsOf(stage), withinMs })));
    }
  }

  /** Kills everything that runs, in no order. */
  kill(): void {
    this.#killed = true;
    this.#stopping.abort();
    for (const child of this.#commands) child.kill("SIGKILL");
    for (const { child } of this.#supervised) child?.kill("SIGKILL");
  }

  async #launch(supervised: Supervised, launch: Launch): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    await launch((child) => {
      supervised.child = child;
      if (this.#killed) child.kill("SIGKILL");
      else if (this.#stopping.signal.aborted) void child.stop({ withinMs: leastPatienceMs });
    });
    supervised.answers = true;
    this.#onChange();
  }

  async #keepRunning(supervised: Supervised, launch: Launch): Promise<void> {
    for (let failures = 0; ; failures++) {
      const since = performance.now();
      const exit = await supervised.child?.exited;
      supervised.answers = false;
      if (this.#stopping.signal.aborted) return;
      this.#onChange();
      if (performance.now() - since > stableAfterMs) failures = 0;
      const pauseMs = Math.min(pauseMaxMs, pauseMinMs * 2 ** failures);
      this.#log(`${supervised.name} ended (${exit?.signal ?? `exit code ${exit?.code}`}); restarting it`);
      try {
        await delay(pauseMs, undefined, { signal: this.#stopping.signal });
        await this.#launch(supervised, launch);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#log(error instanceof Error ? error.message : String(error));
      }
    }
  }
}

const pauseMinMs = 100;
const pauseMaxMs = 5_000;
const stableAfterMs = 10_000;
const leastPatienceMs = 200;

// The time by which each stage must be over, from the start of the stop; all within the promised 8 seconds.
const stages: [Stage, number][] = [
  ["edge", 2_500],
  ["service", 5_200],
  ["transport", 5_900],
  ["database", 7_500],
];

/**
 * PostgreSQL understands SIGINT as a fast, clean shutdown, SIGQUIT as an immediate one; SIGTERM waits for its clients.
 */
function signalsOf(stage: Stage): NodeJS.Signals[] {
  return stage === "database" ? ["SIGINT", "SIGQUIT"] : ["SIGTERM"];
}
