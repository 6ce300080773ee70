// Runs a sandbox with fake services as a process of its own, as `npm start` would.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@holdfast/tests/support";
import type { SandboxFile } from "../src/sandbox-file.ts";

export type FakeSandbox = {
  process: ChildProcess;
  output: { stdout: string; stderr: string };
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** The content of sandbox.json, once it is there. */
  file(): Promise<SandboxFile>;
};

export function runFakeSandbox(home: string, args: string[] = ["--port-base", "0"], env = {}): FakeSandbox {
  const program = join(import.meta.dirname, "fake-sandbox.ts");
  const child = spawn(process.execPath, [program, "--home", home, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  }
  // "close" and not "exit": by then all output has been read.
  const exited = once(child, "close").then(([code, signal]) => ({ code, signal }));
  return { process: child, output, exited, file: () => readySandboxFile(child, home, output) };
}

/** Waits for the banner and not for the file: one that a killed sandbox left would do. */
async function readySandboxFile(
  child: ChildProcess,
  home: string,
  output: { stdout: string; stderr: string },
): Promise<SandboxFile> {
  const isUp = () => output.stdout.includes("Holdfast is running");
  await eventually(() => isUp() || child.exitCode !== null);
  if (!isUp()) throw new Error(`the sandbox did not start: ${output.stderr}`);
  return JSON.parse(readFileSync(join(home, "sandbox.json"), "utf8")) as SandboxFile;
}

/** A process that has ended but was not reaped yet, by an init that takes its time, does not count. */
export function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (existsSync("/proc/self/stat")) return existsSync(stat) && !readFileSync(stat, "utf8").includes(") Z ");
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
