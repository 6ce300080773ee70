/**
 * `npm run bench`: everything on one machine, in turns within one run, with its load generator, database, acquirer and
 * receiver. Machines are noisy, so what counts is the ratio within the run, and it counts only if the witnesses agree.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { serviceDefinitions, startSandbox } from "@holdfast/sandbox";
import { benchBacklog } from "./backlog-bench.ts";
import { print, type Bench } from "./bench.ts";
import { benchDeliveries } from "./deliveries-bench.ts";
import { connectEventSource } from "./events.ts";
import { benchFairness } from "./fairness-bench.ts";
import { benchPayments } from "./payments-bench.ts";
import { startReceiver } from "./receiver-client.ts";
import { benchTracing } from "./tracing-bench.ts";

const { values: options } = parseArgs({
  options: {
    /** payments, webhooks (deliveries, fairness and backlog), one of these three, tracing, or all. */
    only: { type: "string", default: "all" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    connections: { type: "string", default: "64" },
  },
});

const WEBHOOKS = [benchDeliveries, benchFairness, benchBacklog];
const PARTS: Record<string, ((bench: Bench) => Promise<void>)[]> = {
  all: [benchPayments, ...WEBHOOKS, benchTracing],
  payments: [benchPayments],
  webhooks: WEBHOOKS,
  deliveries: [benchDeliveries],
  fairness: [benchFairness],
  backlog: [benchBacklog],
  tracing: [benchTracing],
};

async function main(): Promise<void> {
  const parts = PARTS[options.only];
  if (!parts) throw new Error(`--only must be one of ${Object.keys(PARTS).join(", ")}`);
  const home = await mkdtemp(join(tmpdir(), "holdfast-bench-"));
  const cleanUp: (() => Promise<void>)[] = [() => rm(home, { recursive: true, force: true, maxRetries: 5 })];
  const clean = async () => {
    for (let step = cleanUp.pop(); step; step = cleanUp.pop()) await step().catch(() => {});
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void clean().then(() => process.exit(130)));
  }
  try {
    const bench = await start(home, cleanUp);
    print(`node ${process.version}, load of the machine before: ${loadavg()[0]!.toFixed(1)}`);
    for (const part of parts) {
      await bench.receiver.forget();
      await part(bench);
      print("");
    }
  } finally {
    await clean();
  }
}

async function start(home: string, cleanUp: (() => Promise<void>)[]): Promise<Bench> {
  const stopping = new AbortController();
  cleanUp.push(async () => stopping.abort());
  const sandbox = await startSandbox({
    home,
    portBase: 0,
    services: serviceDefinitions,
    stopSignal: stopping.signal,
  });
  cleanUp.push(() => sandbox.stop());
  const receiver = await startReceiver({ ...sandbox.file.receiver, ports: PORTS });
  cleanUp.push(() => receiver.stop());
  const events = await connectEventSource(sandbox.file.natsUrl);
  cleanUp.push(() => events.close());
  return {
    sandbox: sandbox.file,
    receiver,
    events,
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    connections: Number(options.connections),
  };
}

/** Enough for one endpoint each in the fairness run. */
const PORTS = 420;

await main();
