import { eventually } from "../support/eventually.ts";
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
  for (const name of LOOKING) {
    const url = `${sandbox.healthUrls[name]}/readyz`;
    await eventually(async () => (await fetch(url)).ok, { withinMs: 60_000, everyMs: 100 });
  }
  return result;
}

const LOOKING = ["payments", "refunds", "settlement", "webhook-dispatcher"];
