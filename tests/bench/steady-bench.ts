import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { print, printGoal, WARM_UP_S, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { median } from "./figures.ts";
import {
  bareTarget,
  HOLDFAST_PATH,
  holdfast,
  measure,
  startBareHandler,
  type PaymentFigures,
  type Target,
} from "./payments-bench.ts";
import { countWork, describeCounts, perUnit, type WorkCounts } from "./work-counts.ts";

/**
 * Ordinary load, where little is batched. It measures the CPU of all processes when idle, and for one payment
 * with its webhook at 10, 50 and 200 payments a second, beside a bare handler that does the same durable work
 * without a webhook at the same rates. A separate run counts a payment's requests to database and bus.
 */
export async function benchSteady(bench: Bench): Promise<void> {
  const demo = bench.sandbox.merchants[0]!;
  await bench.events.turnOn({ merchantId: demo.merchantId, url: bench.receiver.url(HOLDFAST_PATH) });
  const bare = await startBareHandler(bench, {});
  try {
    const targets = [holdfast(bench), bareTarget(bench, bare, { name: "no webhooks" })] as const;
    for (const target of targets) await measure(bench, target, { rate: RATES.at(-1)!, seconds: WARM_UP_S });
    if (!bench.quick) await delay(SETTLES_MS);
    const idle = await measureIdle(bench);
    await bench.receiver.forget();
    let answered = 0;
    for (const rate of RATES) answered += await benchRate(bench, targets, { rate, idle });
    const delivered = (await bench.receiver.state()).distinct[HOLDFAST_PATH] ?? 0;
    witness(delivered === answered, `${answered} payments answered, ${delivered} event ids at the receiver`);
  } finally {
    await bare.stop();
    await bench.events.turnOff(demo);
  }
}

const RATES = [10, 50, 200];
/**
 * The time in which work left over from the last load ends. PostgreSQL looks once a minute for tables to
 * vacuum, and each process collects its garbage once, some ninety seconds after its last work. Both would
 * count as work of an idle process.
 */
const SETTLES_MS = 150_000;
const IDLE_MS = 20_000;
const QUICK_IDLE_MS = 2_000;

/** Processes that are not the product: the bank, the identity provider, the merchant. */
const NOT_OURS = new Set(["acquirer-simulator", "identity-provider", "receiver"]);

/** CPU milliseconds a second by process, and the requests to database and bus without a payment. */
type Idle = { cpuMs: Record<string, number>; counts: WorkCounts };

async function measureIdle(bench: Bench): Promise<Idle> {
  const idleMs = bench.quick ? QUICK_IDLE_MS : IDLE_MS;
  const read = () =>
    Object.entries(bench.sandbox.processes)
      .filter(([name]) => !NOT_OURS.has(name))
      .map(([name, pid]) => [name, cpuTimeMs(pid, { tree: name === "postgres" })] as const);
  const startedAt = performance.now();
  const before = new Map(read());
  await delay(idleMs);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuMs = Object.fromEntries(read().map(([name, ms]) => [name, (ms - before.get(name)!) / seconds]));
  const { counts } = await countWork(bench, () => delay(idleMs));
  const total = sum(Object.values(cpuMs));
  print(`idle, CPU ms per second: ${listed(cpuMs)}`);
  const none = Object.fromEntries(Object.keys(counts.messages).map((kind) => [kind, 0]));
  const nothing = { seconds: 1, commits: 0, fsyncs: 0, walBytes: 0, messages: none };
  print(`idle, per second: ${describeCounts(perUnit(counts, nothing, counts.seconds))}`);
  printGoal("idle, CPU of all processes", `${total.toFixed(0)} ms per second`, "<= 15", total <= 15);
  return { cpuMs, counts };
}

type Round = { ours: PaymentFigures; theirs: PaymentFigures };

/** @returns how many payments of the product were answered. */
async function benchRate(
  bench: Bench,
  [ours, theirs]: readonly [Target, Target],
  { rate, idle }: { rate: number; idle: Idle },
): Promise<number> {
  const rounds: Round[] = [];
  const seconds = bench.quick ? bench.seconds : Math.max(SECONDS_MIN, bench.seconds);
  for (let round = 0; round < bench.rounds; round++) {
    rounds.push({
      ours: await measure(bench, ours, { rate, seconds }),
      theirs: await measure(bench, theirs, { rate, seconds }),
    });
  }
  const { result, counts } = await countWork(bench, () => measure(bench, ours, { rate, seconds }));
  report(rate, rounds, idle.cpuMs);
  print(`       each payment adds ${describeCounts(perUnit(counts, idle.counts, result.answered))}`);
  return result.answered + sum(rounds.map((round) => round.ours.answered));
}

/** A shorter run at 10 a second has too few payments for clocks that tick every 10 ms. */
const SECONDS_MIN = 10;

function report(rate: number, rounds: Round[], idle: Record<string, number>): void {
  const ours = rounds.map((round) => round.ours);
  const theirs = rounds.map((round) => round.theirs);
  const ourMs = median(ours.map((round) => sum(Object.values(own(round.cpuMs)))));
  const idleMs = sum(Object.values(idle)) / rate;
  // The product runs beside the bare handler, and its idle statements must not count as the handler's.
  const theirMs = median(
    theirs.map((round) => sum(Object.values(own(round.cpuMs))) - (idle["postgres"] ?? 0) / rate),
  );
  const of = (all: PaymentFigures[], field: "p50Ms" | "p99Ms") => median(all.map((round) => round[field]));
  const times = (all: PaymentFigures[]) =>
    `p50 ${of(all, "p50Ms").toFixed(1)} ms  p99 ${of(all, "p99Ms").toFixed(1)} ms`;
  print(
    `${rate}/s  holdfast ${times(ours)}  CPU ms per payment ${ourMs.toFixed(2)} ` +
      `(of which idle ${idleMs.toFixed(2)})  load of the machine ${loadavg()[0]!.toFixed(1)}`,
  );
  print(`       ${listed(medians(ours))}`);
  print(`       bare ${times(theirs)}  CPU ms per payment ${theirMs.toFixed(2)}`);
  const ratio = ourMs / theirMs;
  const goal = GOALS[rate]!;
  printGoal(
    `CPU per payment at ${rate}/s, divided by that of the bare handler`,
    ratio.toFixed(1),
    `<= ${goal}`,
    ratio <= goal,
  );
}

const GOALS: Record<number, number> = { 10: 3, 50: 2.5, 200: 2 };

function own(cpuMs: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(cpuMs).filter(([name]) => !NOT_OURS.has(name)));
}

function medians(rounds: PaymentFigures[]): Record<string, number> {
  const names = Object.keys(own(rounds[0]?.cpuMs ?? {}));
  return Object.fromEntries(names.map((name) => [name, median(rounds.map(({ cpuMs }) => cpuMs[name] ?? 0))]));
}

function listed(figures: Record<string, number>): string {
  return Object.entries(figures)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
    .join(", ");
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
