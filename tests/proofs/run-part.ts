import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Part } from "./parts.ts";
import { directory, root, type Result } from "./results.ts";

/** Runs a part's command, prints its output, and ends it with all its processes when its time is over. */
export async function runPart({ name, command, minutesMax }: Part): Promise<Result> {
  mkdirSync(directory, { recursive: true });
  const log = createWriteStream(join(directory, `${name}.log`));
  const startedAt = performance.now();
  // A group of its own, so that its end is the end of all its processes.
  const child = spawn("bash", ["-c", command], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = (signal: NodeJS.Signals) => endGroup(child.pid, signal);
  const interrupted = () => {
    end("SIGTERM");
    process.exitCode = 130;
    process.exit();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, interrupted);
  let output = "";
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
    log.write(chunk);
    process.stdout.write(chunk);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const late = setTimeout(() => {
    keep(Buffer.from(`\nproofs: ${name} is ended after ${minutesMax} minutes\n`));
    end("SIGTERM");
    setTimeout(() => end("SIGKILL"), KILLED_AFTER_MS).unref();
  }, minutesMax * 60_000);
  const code = await new Promise<number | null>((resolve) => {
    child.once("close", resolve);
    child.once("error", () => resolve(null));
  });
  clearTimeout(late);
  for (const signal of signals) process.off(signal, interrupted);
  log.end();
  return resultOf({ name, command, code, output, minutes: (performance.now() - startedAt) / 60_000 });
}

/** Longer than any program takes to stop in order. */
const KILLED_AFTER_MS = 60_000;

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export function resultOf(ended: {
  name: string;
  command: string;
  code: number | null;
  output: string;
  minutes: number;
}): Result {
  const { name, command, code, output, minutes } = ended;
  const counted = countCases(stripVTControlCharacters(output));
  // A program that counts nothing is one case. One that has chosen no test proves nothing.
  const isGreen = code === 0 && counted?.passed !== 0;
  const { passed, failed } = counted ?? { passed: 1, failed: 0 };
  const [, seed] = /^seed (\d+)/m.exec(output) ?? [];
  return {
    part: name,
    command,
    passed: isGreen || counted ? passed : 0,
    failed: isGreen ? failed : Math.max(1, failed),
    minutes,
    verdict: isGreen ? "green" : "RED",
    ...(!isGreen && { shown: failuresIn(stripVTControlCharacters(output)) }),
    ...(seed !== undefined && { seed }),
  };
}

/** The beginning of each failure that vitest reports, or the end of another program's output. */
function failuresIn(text: string): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines.flatMap((line, at) => (line.startsWith(" FAIL ") ? lines.slice(at, at + 18) : []));
  return (shown.length > 0 ? shown.slice(0, 72) : lines.slice(-18)).join("\n");
}

/** Adds up the closing lines of vitest or our own programs, for each command of the part. */
function countCases(text: string): { passed: number; failed: number } | undefined {
  const lines = [
    ...text.matchAll(/^ *Tests +(?<rest>.*\d+ (?:passed|failed|skipped).*)$/gm),
    ...text.matchAll(/^(?<rest>\d+ passed, \d+ failed)$/gm),
  ].map((match) => match.groups!["rest"]!);
  if (lines.length === 0) return undefined;
  const sum = (what: string) =>
    lines.reduce((total, line) => total + Number(new RegExp(`(\\d+) ${what}`).exec(line)?.[1] ?? 0), 0);
  return { passed: sum("passed"), failed: sum("failed") };
}
