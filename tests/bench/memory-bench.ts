import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { print, printGoal, settled, witness, type Bench } from "./bench.ts";
import { HOLDFAST_PATH, holdfast } from "./payments-bench.ts";
import { ownMiB, residentMiB } from "./resident-memory.ts";
import { runLoad } from "./run-load.ts";

/**
 * The resident memory of each process at ordinary load: before it, each minute, and at its end. `--seconds 3600` for an hour.
 */
export async function benchMemory(bench: Bench): Promise<void> {
  const demo = bench.sandbox.merchants[0]!;
  await bench.events.turnOn({ merchantId: demo.merchantId, url: bench.receiver.url(HOLDFAST_PATH) });
  try {
    const seconds = Math.max(SECONDS_MIN, bench.seconds);
    const { url, headers } = holdfast(bench);
    print(`resident MiB (in brackets: the process's own part) at the start: ${listed(memoryOf(bench))}`);
    const over = new AbortController();
    const watching = watch(bench, over.signal);
    const load = await runLoad({ url, headers, connections: bench.connections, seconds, rate: RATE });
    over.abort();
    await watching;
    const last = memoryOf(bench);
    print(`after ${seconds / 60} min at ${RATE} payments per second: ${listed(last)}`);
    print(`load of the machine ${loadavg()[0]!.toFixed(1)}`);
    for (const [name, { resident }] of Object.entries(last)) {
      printGoal(name, `${resident} MiB`, `<= ${GOAL_MIB}`, resident <= GOAL_MIB);
    }
    const answered = load.statuses["201"] ?? 0;
    await settled(bench);
    const delivered = (await bench.receiver.state()).distinct[HOLDFAST_PATH] ?? 0;
    // What the merchant got no answer to may have happened all the same.
    witness(delivered >= answered, `${answered} payments answered, ${delivered} event ids at the receiver`);
  } finally {
    await bench.events.turnOff(demo);
  }
}

const RATE = 25;
const SECONDS_MIN = 900;
const EVERY_MS = 60_000;
/** 150 MB. */
const GOAL_MIB = 143;

/** What is not a service of ours; PostgreSQL's memory is mostly pages that its processes share. */
const NOT_OURS = new Set(["acquirer-simulator", "identity-provider", "nats", "nats-server", "postgres"]);

type Memory = { resident: number; own: number };

function memoryOf({ sandbox }: Bench): Record<string, Memory> {
  return Object.fromEntries(
    Object.entries(sandbox.processes)
      .filter(([name]) => !NOT_OURS.has(name))
      .map(([name, pid]) => [name, { resident: residentMiB(pid), own: ownMiB(pid) }]),
  );
}

async function watch(bench: Bench, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await delay(EVERY_MS, undefined, { signal: over }).catch(() => undefined);
    print(`  ${listed(memoryOf(bench))}`);
  }
}

function listed(figures: Record<string, Memory>): string {
  return Object.entries(figures)
    .map(([name, { resident, own }]) => `${name} ${resident} (${own})`)
    .join(", ");
}
