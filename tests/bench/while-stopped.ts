import { setTimeout as delay } from "node:timers/promises";
import type { Bench } from "./bench.ts";

/** Runs `work` while processes stand still: they read nothing, send nothing, and hold what they have. */
export async function whileStopped<Result>(
  pids: readonly number[],
  work: () => Promise<Result>,
): Promise<Result> {
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  try {
    return await work();
  } finally {
    for (const pid of pids) process.kill(pid, "SIGCONT");
  }
}

/**
 * Runs `work` while nobody looks for what is due in tables that grow: without their indexes each look reads them whole.
 * Resolves when those that stood still are ready again, on new connections to the bus.
 */
export async function whileNobodyLooks<Result>(
  { sandbox }: Bench,
  work: () => Promise<Result>,
): Promise<Result> {
  const result = await whileStopped(
    LOOKING.map((name) => sandbox.processes[name]!),
    work,
  );
  for (const name of LOOKING) await ready(`${sandbox.healthUrls[name]}/readyz`);
  return result;
}

const LOOKING = ["payments", "refunds", "settlement", "webhook-dispatcher"];
const TIMEOUT_MS = 60_000;

async function ready(url: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { ok } = await fetch(url);
    if (ok) return;
    if (performance.now() > deadline) throw new Error(`${url} is not ready again`);
    await delay(100);
  }
}
