import { print, printGoal, settled, witness, type Bench } from "./bench.ts";
import { median } from "./figures.ts";
import type { LoadResult } from "./load.ts";
import { approvals } from "./payments-bench.ts";
import { asMerchant, runLoad } from "./run-load.ts";

/**
 * Requests a second that the gateway lets each merchant have here. Below its default, so that 20 times as much leaves
 * CPU time on two cores, which the load generator shares: waiting for that would say nothing of the limit.
 */
export const NEIGHBOURS_RATE_LIMIT = 30;

export type Credentials = { apiKey: string; apiSecret: string };
/** The quiet merchant's figures, and those of the noisy one where it was there. */
type Run = { quiet: LoadResult; noisy?: LoadResult };

/**
 * One merchant reserves funds at a modest rate, now by itself and now beside another that sends 20 times what it may,
 * in turns. What counts is how far the noisy one moves the quiet one's p99.
 */
export async function benchNeighbours(bench: Bench): Promise<void> {
  const quiet = bench.sandbox.merchants[0]!;
  const noisy = await onboard(bench, "Noisy Shop");
  const seconds = RUN_FACTOR * bench.seconds;
  const alone = () => run(bench, seconds, quiet);
  const beside = () => run(bench, seconds, quiet, noisy);
  await run(bench, Math.min(3, seconds), quiet, noisy);
  const before = await approvals(bench);
  const [without, withNoisy]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < bench.rounds; round++) {
    without.push(await alone());
    withNoisy.push(await beside());
  }
  report(bench, seconds, without, withNoisy);
  checkWitnesses(seconds, [...without, ...withNoisy], (await approvals(bench)) - before);
}

/** A p99 needs more payments than a rate does. */
const RUN_FACTOR = 3;
const QUIET_PER_SECOND = 25;
const NOISY_PER_SECOND = 20 * NEIGHBOURS_RATE_LIMIT;

async function run(
  bench: Bench,
  seconds: number,
  quietMerchant: Credentials,
  noisyMerchant?: Credentials,
): Promise<Run> {
  const load = (merchant: Credentials, rate: number, connections: number) =>
    runLoad({ ...asMerchant(bench.sandbox, merchant), connections, seconds, rate });
  const [quiet, noisy] = await Promise.all([
    load(quietMerchant, QUIET_PER_SECOND, 16),
    noisyMerchant && load(noisyMerchant, NOISY_PER_SECOND, bench.connections),
  ]);
  await settled(bench);
  return { quiet, ...(noisy && { noisy }) };
}

export async function onboard({ sandbox }: Bench, name: string): Promise<Credentials> {
  const answer = await fetch(`${sandbox.operatorUrl}/operator/merchants`, {
    method: "POST",
    headers: { authorization: `Bearer ${sandbox.operators[0]!.token}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  if (answer.status !== 201) throw new Error(`the merchant ${name} was refused: HTTP ${answer.status}`);
  return (await answer.json()) as Credentials;
}

function report({ rounds }: Bench, seconds: number, without: Run[], withNoisy: Run[]): void {
  const sentPerSecond = sum(withNoisy.map(({ noisy }) => noisy?.requests ?? 0)) / (rounds * seconds);
  print(
    `neighbours: limit ${NEIGHBOURS_RATE_LIMIT}/s per merchant; a quiet merchant at ${QUIET_PER_SECOND}/s, alone and beside a noisy one at ` +
      `${sentPerSecond.toFixed(0)}/s, ${rounds} runs of ${seconds} s each, alternating; medians`,
  );
  for (const [name, runs] of Object.entries({ alone: without, "beside the noisy one": withNoisy })) {
    const p99s = runs.map(({ quiet }) => quiet.p99Ms.toFixed(1)).join(", ");
    print(
      `${name.padEnd(20)} p50 ${of(runs, "p50Ms").toFixed(1)} ms  p99 ${of(runs, "p99Ms").toFixed(1)} ms (${p99s})`,
    );
  }
  const ratio = of(withNoisy, "p99Ms") / of(without, "p99Ms");
  printGoal(
    "p99 beside a merchant at 20 times its limit, divided by p99 alone",
    ratio.toFixed(2),
    "< 2",
    ratio < 2,
  );
}

function of(runs: Run[], figure: "p50Ms" | "p99Ms"): number {
  return median(runs.map(({ quiet }) => quiet[figure]));
}

/** The quiet one was never refused, the noisy one got its rate and its burst and no more, and the acquirer agrees. */
function checkWitnesses(seconds: number, runs: Run[], approved: number): void {
  const quietSent = sum(runs.map(({ quiet }) => quiet.requests));
  const quietAnswered = sum(runs.map(({ quiet }) => quiet.statuses["201"] ?? 0));
  const noisyRuns = runs.flatMap(({ noisy }) => noisy ?? []);
  const noisySent = sum(noisyRuns.map(({ requests }) => requests));
  const noisyAnswered = sum(noisyRuns.map(({ statuses }) => statuses["201"] ?? 0));
  const refused = sum(noisyRuns.map(({ statuses }) => statuses["429"] ?? 0));
  const mostAnswered = noisyRuns.length * NEIGHBOURS_RATE_LIMIT * (seconds + 2);
  witness(
    quietAnswered === quietSent &&
      noisyAnswered + refused === noisySent &&
      noisyAnswered <= mostAnswered &&
      noisySent > 0.9 * noisyRuns.length * seconds * NOISY_PER_SECOND &&
      approved === quietAnswered + noisyAnswered,
    `quiet ${quietSent} sent, ${quietAnswered} answered 201; noisy ${noisySent} sent, ${noisyAnswered} answered 201 ` +
      `(at most ${mostAnswered}), ${refused} answered 429; ${approved} approved in the acquirer's ledger`,
  );
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
