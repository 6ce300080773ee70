import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { print, printGoal, settled, witness, type Bench } from "./bench.ts";
import { median } from "./figures.ts";
import type { LoadResult } from "./load.ts";
import { onboard, type Credentials } from "./neighbours-bench.ts";
import { approvals } from "./payments-bench.ts";
import { startProgram } from "./programs.ts";
import { asMerchant, runLoad } from "./run-load.ts";
import type { SlowBodiesState } from "./slow-bodies.ts";

/** Who is beside the quiet merchant. */
const NEIGHBOURS = ["nobody", "slow bodies", "a bank that hangs"] as const;
type Neighbour = (typeof NEIGHBOURS)[number];
/** The quiet merchant's figures, what the other one was answered, and whether it was what it is called. */
type Run = { quiet: LoadResult; ofNeighbour: Record<string, number>; isAsNamed: boolean };
type Runs = Record<Neighbour, Run[]>;

/**
 * One merchant sells at a modest rate, in turns by itself, beside another whose bodies do not arrive, and beside one
 * whose bank never answers. What counts is how far either moves its p99, and that none of its sales is refused.
 */
export async function benchSlowNeighbours(bench: Bench): Promise<void> {
  const quiet = bench.sandbox.merchants[0]!;
  const neighbour = await onboard(bench, "Slow Shop");
  const sell = (seconds: number) =>
    runLoad({ ...asSeller(bench, quiet), connections: 16, seconds, rate: QUIET_PER_SECOND });
  const seconds = RUN_FACTOR * bench.seconds;
  const run: Record<Neighbour, () => Promise<Run>> = {
    nobody: async () => ({ quiet: await sell(seconds), ofNeighbour: {}, isAsNamed: true }),
    "slow bodies": () => besideSlowBodies(bench, neighbour, () => sell(seconds)),
    "a bank that hangs": () => besideHangingBank(bench, neighbour, seconds, () => sell(seconds)),
  };
  await sell(Math.min(3, seconds));
  await settled(bench);
  const runs: Runs = { nobody: [], "slow bodies": [], "a bank that hangs": [] };
  const before = await approvals(bench, "sale");
  for (let round = 0; round < bench.rounds; round++) {
    for (const name of NEIGHBOURS) {
      runs[name].push(await run[name]());
      await settled(bench);
    }
  }
  report(bench, seconds, runs);
  checkWitnesses(runs, (await approvals(bench, "sale")) - before);
}

/** A p99 needs more payments than a rate does. */
const RUN_FACTOR = 3;
const QUIET_PER_SECOND = 25;
const SLOW_BODIES = 512;
/** Within any merchant's rate, and more than a merchant's share of the connections to the bank can carry. */
const HANGING_PER_SECOND = 50;
/** So that each request of the hanging rate finds one that is free, although it takes as long as the gateway waits. */
const HANGING_CONNECTIONS = 1_000;
const HANGING_PAN = "4000000000000127";
/** By then that share, a quarter of 1 024, is in use. */
const HANGING_LEAD_S = 6;

function asSeller({ sandbox }: Bench, merchant: Credentials): ReturnType<typeof asMerchant> {
  return { ...asMerchant(sandbox, merchant), url: `${sandbox.gatewayUrl}/api/payment` };
}

async function besideSlowBodies(
  bench: Bench,
  neighbour: Credentials,
  sell: () => Promise<LoadResult>,
): Promise<Run> {
  const { url, headers } = asSeller(bench, neighbour);
  const args = [`--url=${url}`, `--headers=${JSON.stringify(headers)}`, `--connections=${SLOW_BODIES}`];
  const bodies = await startProgram<{ port: number }>("slow-bodies.ts", { args });
  const state = async () =>
    (await (await fetch(`http://127.0.0.1:${bodies.first.port}`)).json()) as SlowBodiesState;
  try {
    const haveBegun = await within(BEGUN_WITHIN_MS, async () => (await state()).underWay === SLOW_BODIES);
    const quiet = await sell();
    const { underWay, ended } = await state();
    // Whatever ended was cut off as late: what is refused at once burdens nobody. All of them end in the same second.
    const wereLate = Object.keys(ended).every((status) => status === "408");
    const isAsNamed = haveBegun && wereLate && underWay > SLOW_BODIES / 2;
    return { quiet, ofNeighbour: { ...ended, "not yet": underWay }, isAsNamed };
  } finally {
    await bodies.stop();
  }
}

const BEGUN_WITHIN_MS = 10_000;

/** It is over when the outcome of each of the neighbour's payments is known, so that recovery is not in the next run. */
async function besideHangingBank(
  bench: Bench,
  neighbour: Credentials,
  seconds: number,
  sell: () => Promise<LoadResult>,
): Promise<Run> {
  const hanging = runLoad({
    ...asSeller(bench, neighbour),
    connections: HANGING_CONNECTIONS,
    seconds: HANGING_LEAD_S + seconds,
    rate: HANGING_PER_SECOND,
    pan: HANGING_PAN,
  });
  const selling = delay(HANGING_LEAD_S * 1_000).then(sell);
  const [{ requests, statuses }, quiet] = await Promise.all([hanging, selling]);
  const isRecovered = await within(RECOVERED_WITHIN_MS, async () => (await unknownOutcomes(bench)) === 0);
  const sentAsPlanned = requests > 0.9 * HANGING_PER_SECOND * (HANGING_LEAD_S + seconds);
  return {
    quiet,
    ofNeighbour: statuses,
    isAsNamed: isRecovered && sentAsPlanned && (statuses["202"] ?? 0) > 0 && !statuses["201"],
  };
}

const RECOVERED_WITHIN_MS = 120_000;

async function unknownOutcomes({ sandbox }: Bench): Promise<number> {
  return await withClient(sandbox.databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from payments.payment where state in ('AUTHORIZING', 'REVERSING')",
    );
    return rows[0]!.count;
  });
}

/** @returns whether it came to that. */
async function within(timeoutMs: number, isSo: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) return false;
    await delay(100);
  }
  return true;
}

function report({ rounds }: Bench, seconds: number, runs: Runs): void {
  print(
    `slow neighbours: a merchant sells at ${QUIET_PER_SECOND}/s: beside nobody, beside ${SLOW_BODIES} requests of another merchant ` +
      `whose bodies do not arrive, and beside ${HANGING_PER_SECOND}/s of another merchant whose bank hangs; ` +
      `${rounds} runs of ${seconds} s each, alternating; medians`,
  );
  const of = (name: Neighbour, figure: "p50Ms" | "p99Ms") =>
    median(runs[name].map(({ quiet }) => quiet[figure]));
  for (const name of NEIGHBOURS) {
    const p99s = runs[name].map(({ quiet }) => quiet.p99Ms.toFixed(1)).join(", ");
    const p50 = of(name, "p50Ms").toFixed(1);
    print(`beside ${name.padEnd(18)} p50 ${p50} ms  p99 ${of(name, "p99Ms").toFixed(1)} ms (${p99s})`);
  }
  for (const name of NEIGHBOURS.slice(1)) {
    const ratio = of(name, "p99Ms") / of("nobody", "p99Ms");
    printGoal(`p99 beside ${name}, divided by p99 beside nobody`, ratio.toFixed(2), "<= 2", ratio <= 2);
    const refused = answers(runs[name], ({ quiet }) => quiet.statuses)["503"] ?? 0;
    printGoal(`sales answered 503 beside ${name}`, `${refused}`, "0", refused === 0);
  }
}

/** Every sale was answered 201 or 503, the acquirer agrees, and the neighbours were what they are called. */
function checkWitnesses(runs: Runs, approved: number): void {
  const all = NEIGHBOURS.flatMap((name) => runs[name]);
  const sent = all.reduce((sum, { quiet }) => sum + quiet.requests, 0);
  const { 201: sold = 0, 503: refused = 0 } = answers(all, ({ quiet }) => quiet.statuses);
  const shown = NEIGHBOURS.slice(1).map((name) => {
    const statuses = Object.entries(answers(runs[name], ({ ofNeighbour }) => ofNeighbour));
    return `${name} ${statuses.map(([status, count]) => `${status}: ${count}`).join(", ")}`;
  });
  witness(
    sent === sold + refused && approved === sold && all.every(({ isAsNamed }) => isAsNamed),
    `${sent} sales sent, ${sold} answered 201, ${approved} approved in the acquirer's ledger; the neighbours were ` +
      `answered: ${shown.join("; ")}`,
  );
}

/** How often each status was answered in all these runs together. */
function answers(runs: Run[], of: (run: Run) => Record<string, number>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [status, count] of runs.flatMap((run) => Object.entries(of(run))))
    sums[status] = (sums[status] ?? 0) + count;
  return sums;
}
