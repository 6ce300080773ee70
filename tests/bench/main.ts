/**
 * `npm run bench`: everything on one machine, in turns within one run, with its load generator, database, acquirer and
 * receiver. Machines are noisy, so only the ratio within the run counts, and only if the counts of requests and effects
 * agree.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { serviceDefinitions, startSandbox } from "@holdfast/sandbox";
import { readCommandLine, runProgram, UsageError, wholeNumber } from "@holdfast/service-runtime/command-line";
import { print, type Bench } from "./bench.ts";
import { benchConsole } from "./console-bench.ts";
import { benchDeliveries } from "./deliveries-bench.ts";
import { connectEventSource } from "./events.ts";
import { benchIdle } from "./idle-bench.ts";
import { benchLists } from "./lists-bench.ts";
import { benchPayments } from "./payments-bench.ts";
import { startReceiver } from "./receiver-client.ts";
import { benchRecovery } from "./recovery-bench.ts";
import { benchSettlement } from "./settlement-bench.ts";
import { benchSteady } from "./steady-bench.ts";

type Part = { about: string; run: (bench: Bench) => Promise<void> };

const PARTS: Record<string, Part> = {
  payments: { about: "throughput, latency and CPU, beside a bare handler", run: benchPayments },
  deliveries: { about: "webhooks, beside a bare loop", run: benchDeliveries },
  steady: { about: "CPU when idle, and at 10, 50 and 200 payments a second", run: benchSteady },
  idle: { about: "CPU of a replica without requests, beside --payments old ones", run: benchIdle },
  recovery: { about: "a process is killed in the middle of 5 000 deliveries", run: benchRecovery },
  settlement: { about: "a bank's file of --rows lines", run: benchSettlement },
  lists: { about: "first pages and exports of --rows payments", run: benchLists },
  console: { about: "the console's pages, for one operator and for 200", run: benchConsole },
};

const HELP = `npm run bench -- [--only PART,…] [--rounds N] [--seconds N] [--connections N] [--rows N] [--payments N] [--quick]

Measures the whole product on this machine. Each part has a sandbox of its own.

${Object.entries(PARTS)
  .map(([name, { about }]) => `  ${name.padEnd(16)} ${about}`)
  .join("\n")}

  --only PART,…    runs these parts (default: payments,deliveries)
  --rounds N       rounds of each side (default 3)
  --seconds N      seconds of a round (default 4)
  --connections N  connections of the load (default 64)
  --rows N         payments of the lists, lines of the settlement file: whole hundred thousands (default 1000000)
  --payments N     old payments of idle: whole hundred thousands (default 10000000)
  --quick          one small round, which shows that a part works; its figures mean little
`;

/** Keeps the rate limit out of the measurement. */
const UNLIMITED = "1000000";
/** Enough ports for each delivery to have an endpoint. */
const PORTS = 16;
const QUICK = { rounds: 1, seconds: 2, rows: 100_000, payments: 100_000 };

await runProgram("bench", main, { trace: true });

async function main(args: string[]): Promise<void> {
  const line = readCommandLine(args, {
    help: HELP,
    options: {
      only: { type: "string", default: "payments,deliveries" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "4" },
      connections: { type: "string", default: "64" },
      rows: { type: "string", default: "1000000" },
      payments: { type: "string", default: "10000000" },
      quick: { type: "boolean", default: false },
    },
  });
  if (!line) return;
  const { only, quick, ...numbers } = line.values;
  const parts = only.split(",").map((name) => PARTS[name]);
  if (!parts.every((part) => part !== undefined))
    throw new UsageError(`--only must be some of ${Object.keys(PARTS).join(", ")}`);
  const sizes = {
    rounds: wholeNumber("rounds", numbers.rounds),
    seconds: wholeNumber("seconds", numbers.seconds),
    connections: wholeNumber("connections", numbers.connections),
    rows: wholeNumber("rows", numbers.rows),
    payments: wholeNumber("payments", numbers.payments),
    quick,
    ...(quick && QUICK),
  };
  await runParts(parts, sizes);
}

type Sizes = Omit<Bench, "sandbox" | "receiver" | "events">;

async function runParts(parts: Part[], sizes: Sizes): Promise<void> {
  const cleanUp: (() => Promise<void>)[] = [];
  // One after another: work under way breaks as the sandbox stops, and must not end this process before that is done.
  let cleaning = Promise.resolve();
  const clean = () => (cleaning = afterwards(cleaning, cleanUp));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void clean().then(() => process.exit(130)));
  }
  try {
    print(`node ${process.version}, load of the machine before the start: ${loadavg()[0]!.toFixed(1)}`);
    for (const { run } of parts) {
      await run({ ...(await start(cleanUp)), ...sizes });
      print("");
      await clean();
    }
  } finally {
    await clean();
  }
}

async function afterwards(before: Promise<void>, cleanUp: (() => Promise<void>)[]): Promise<void> {
  await before;
  for (let step = cleanUp.pop(); step; step = cleanUp.pop()) await step().catch(() => {});
}

async function start(cleanUp: (() => Promise<void>)[]): Promise<Omit<Bench, keyof Sizes>> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-bench-"));
  cleanUp.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const stopping = new AbortController();
  const starting = startSandbox({
    home,
    portBase: 0,
    services: serviceDefinitions.map((service) => ({
      ...service,
      environment: (surroundings) => ({
        ...service.environment(surroundings),
        ...(service.isEdge && { RATE_LIMIT_PER_SECOND: UNLIMITED }),
      }),
    })),
    stopSignal: stopping.signal,
  });
  cleanUp.push(async () => {
    stopping.abort();
    await (await starting).stop();
  });
  const sandbox = await starting;
  const receiver = await startReceiver({ ...sandbox.file.receiver, ports: PORTS });
  cleanUp.push(() => receiver.stop());
  const events = await connectEventSource(sandbox.file.natsUrl, sandbox.file.operators[0]!.token);
  cleanUp.push(() => events.close());
  return { sandbox: sandbox.file, receiver, events };
}
