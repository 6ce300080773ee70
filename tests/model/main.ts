// `npm run model`: every order of events in every story at every bank, on two cores. It prints how many states it saw, and
// where a promise is broken the shortest way to it.
//
//   npm run model -- --story refund
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { readCommandLine, runProgram } from "@holdfast/service-runtime/command-line";
import { explore, type Explored } from "./explore.ts";
import { moneyModel } from "./money-model.ts";
import { nameOf, wideScenarios } from "./stories.ts";
import type { Scenario } from "./world.ts";

const WORKERS_MAX = 2;

const HELP = `npm run model -- [--story TEXT]

Goes through every order of events of each story at each kind of bank, and prints how many states it saw.

  --story TEXT   stories alone whose names have this text
`;

if (isMainThread) await runProgram("model", lookAtAll, { trace: true });
else parentPort!.on("message", answer);

function answer(scenario: Scenario): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
  parentPort!.postMessage(explore(moneyModel(scenario)));
}

async function lookAtAll(args: string[]): Promise<number> {
  const line = readCommandLine(args, {
    help: HELP,
    options: { story: { type: "string", default: "" } },
  });
  if (!line) return 0;
  const { values } = line;
  const left = wideScenarios().filter((scenario) => nameOf(scenario).includes(values.story));
  const sum = { states: 0, events: 0, broken: 0 };
  const workers = Array.from({ length: Math.min(WORKERS_MAX, availableParallelism()) }, async () => {
    const worker = new Worker(new URL(import.meta.url), { argv: [] });
    for (let scenario = left.shift(); scenario; scenario = left.shift()) {
      const explored = await lookAt(worker, scenario);
      sum.states += explored.states;
      sum.events += explored.events;
      sum.broken += Number(explored.broken !== undefined);
      print(`${explored.states} states, ${explored.events} events: ${nameOf(scenario)}`);
      if (explored.broken) print([`BROKEN: ${explored.broken.what}`, ...explored.broken.trace].join("\n  "));
    }
    await worker.terminate();
  });
  await Promise.all(workers);
  print(`${sum.states} states, ${sum.events} events, ${sum.broken} stories break a promise`);
  return sum.broken > 0 || sum.states === 0 ? 1 : 0;
}

function lookAt(worker: Worker, scenario: Scenario): Promise<Explored> {
  const { promise, resolve, reject } = Promise.withResolvers<Explored>();
  worker.once("message", resolve).once("error", reject);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  worker.postMessage(scenario);
  return promise.finally(() => void worker.off("error", reject));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
