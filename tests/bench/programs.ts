import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { killOnExit, withParentDeathSignal } from "@holdfast/sandbox/infrastructure";

export type Program<First> = { pid: number; first: First; stop(): Promise<void> };

export type ProgramOptions = { env?: Record<string, string>; args?: string[] };

/**
 * Starts a program of this folder as a process of its own; its first line of output is JSON. It ends with this process.
 */
export async function startProgram<First>(
  file: string,
  options: ProgramOptions = {},
): Promise<Program<First>> {
  const child = launch(file, options);
  const first = await firstLine<First>(file, child);
  return {
    pid: child.pid!,
    first,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Runs a program of this folder to its end. @returns the JSON that it printed. */
export async function runProgram<Result>(
  file: string,
  { timeoutMs, ...options }: ProgramOptions & { timeoutMs: number },
): Promise<Result> {
  const child = launch(file, options);
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  try {
    const exited = once(child, "exit");
    const result = await firstLine<Result>(file, child);
    await exited;
    return result;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

function launch(file: string, { env = {}, args = [] }: ProgramOptions): ChildProcess {
  const [program = "", ...rest] = withParentDeathSignal("KILL", [
    process.execPath,
    join(import.meta.dirname, file),
    ...args,
  ]);
  const child = spawn(program, rest, {
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  killOnExit(child);
  return child;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the program prints
async function firstLine<First>(file: string, child: ChildProcess): Promise<First> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line) as First;
  throw new Error(`${file} said nothing`);
}
