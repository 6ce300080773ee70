import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { SandboxFile } from "@holdfast/sandbox";
import { eventually, ProcessTree } from "../support/index.ts";

/** The program of `npm start` in a process of its own. */
export type StartedByNpm = {
  home: string;
  file: SandboxFile;
  /** The running processes: the command and everything that it started. */
  processes(): number[];
  /** SIGTERM. @returns the exit code. */
  stop(): Promise<number | null>;
  /** Stops all that is left, in any case, and removes its files. */
  cleanUp(): Promise<void>;
};

/** Resolves when `sandbox.json` is there. @param given the home of an earlier start; by default a new one. */
export async function runNpmStart(
  args: string[],
  settings: Record<string, string> = {},
  given?: string,
): Promise<StartedByNpm> {
  const home = given ?? (await mkdtemp(join(tmpdir(), "holdfast-start-")));
  const program = resolve(import.meta.dirname, "..", "..", "tools", "sandbox", "src", "main.ts");
  const child = spawn(process.execPath, [program, "--home", home, "--port-base", "0", ...args], {
    env: { ...process.env, DATABASE_CONNECTION_TIMEOUT: "60s", ...noDayEnds(), ...settings },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const ended = once(child, "exit");
  const tree = new ProcessTree(child.pid!);
  const cleanUp = async () => {
    // Seen once, a process is found again when its parent is gone.
    tree.running();
    if (child.exitCode === null) child.kill("SIGKILL");
    await ended;
    await eventually(() => tree.running().length === 0);
    await rm(home, { recursive: true, force: true });
  };
  try {
    const path = join(home, "sandbox.json");
    await eventually(() => existsSync(path) || child.exitCode !== null, { withinMs: 240_000 });
    const file = JSON.parse(readFileSync(path, "utf8")) as SandboxFile;
    return {
      home,
      file,
      processes: () => tree.running(),
      async stop() {
        child.kill("SIGTERM");
        await ended;
        return child.exitCode;
      },
      cleanUp,
    };
  } catch (cause) {
    await cleanUp();
    throw new Error(`the sandbox did not start: ${complaints}`, { cause });
  }
}

/** Settings with which no business day ends during a test, at any time of day, in the banks' zone. */
function noDayEnds(): Record<string, string> {
  const halfADayLater = Temporal.Now.plainTimeISO("Europe/Istanbul").add({ hours: 12 });
  return { BUSINESS_DAY_CUT_OFF: halfADayLater.toString({ smallestUnit: "minute" }) };
}
