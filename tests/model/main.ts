// `npm run model`: every order of events in every story at every bank, on two cores. It prints how many states it saw, and
// where a promise is broken the shortest way to it.
//
//   npm run model -- --story refund
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { explore, type Explored } from "./explore.ts";
import { moneyModel } from "./money-model.ts";
import { nameOf, wideScenarios } from "./stories.ts";
import type { Scenario } from "./world.ts";

const WORKERS_MAX = 2;

if (isMainThread) await lookAtAll();
else parentPort!.on("message", answer);

function answer(scenario: Scenario): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
  parentPort!.postMessage(explore(moneyModel(scenario)));
}

async function lookAtAll(): Promise<void> {
  const { values } = parseArgs({ options: { story: { type: "string", default: "" } } });
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
  process.exitCode = sum.broken > 0 || sum.states === 0 ? 1 : 0;
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
