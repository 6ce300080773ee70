/**
 * `npm run bench`: everything on one machine, in turns within one run, with its load generator, database, acquirer and
 * receiver. Machines are noisy, so what counts is the ratio within the run, and it counts only if the counts of requests and effects agree.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { serviceDefinitions, startSandbox } from "@holdfast/sandbox";
import { benchAdapters } from "./adapters-bench.ts";
import { benchBacklog } from "./backlog-bench.ts";
import { print, type Bench } from "./bench.ts";
import { benchConsole } from "./console-bench.ts";
import { benchConsoleYears } from "./console-years-bench.ts";
import { benchDeliveries } from "./deliveries-bench.ts";
import { connectEventSource } from "./events.ts";
import { benchEndpoints } from "./endpoints-bench.ts";
import { benchFairness } from "./fairness-bench.ts";
import { benchIdle } from "./idle-bench.ts";
import { benchLists } from "./lists-bench.ts";
import { benchListsYears } from "./lists-years-bench.ts";
import { benchMemory } from "./memory-bench.ts";
import { benchNeighbours, NEIGHBOURS_RATE_LIMIT } from "./neighbours-bench.ts";
import { benchOperatorToken } from "./operator-token-bench.ts";
import { benchPayments } from "./payments-bench.ts";
import { benchRecovery } from "./recovery-bench.ts";
import { startReceiver } from "./receiver-client.ts";
import { benchSettlement } from "./settlement-bench.ts";
import { benchSignIn } from "./sign-in-bench.ts";
import { benchSlowNeighbours } from "./slow-neighbours-bench.ts";
import { benchSteady } from "./steady-bench.ts";
import { benchTls } from "./tls-bench.ts";
import { benchTracing } from "./tracing-bench.ts";
import { benchYears } from "./years-bench.ts";

const { values: options } = parseArgs({
  options: {
    /**
     * payments, webhooks (deliveries, fairness and backlog), one of these three, neighbours, sign-in, operator-token,
     * adapters, tls, tracing, or all; and by themselves console, steady, memory, recovery, endpoints, idle, which inserts ten million
     * payments and takes a quarter of an hour, lists and settlement, which insert `--rows`, and years, console-years and
     * lists-years, which insert `--payments`.
     */
    only: { type: "string", default: "all" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    connections: { type: "string", default: "64" },
    /** Payments of the lists, lines of the settlement file; whole hundred thousands. */
    rows: { type: "string", default: "1000000" },
    /** Payments of the years before; whole hundred thousands. */
    payments: { type: "string", default: "10000000" },
    /** A directory that stays, with what was inserted there: `console-years` and `lists-years` insert nothing again. */
    home: { type: "string" },
  },
});

type Part = { run: (bench: Bench) => Promise<void>; rateLimitPerSecond: number };

/** Where the rate is not what is measured. */
const UNLIMITED = 1_000_000;
const unlimited = (run: Part["run"]): Part => ({ run, rateLimitPerSecond: UNLIMITED });
const PAYMENTS = unlimited(benchPayments);
const [DELIVERIES, FAIRNESS, BACKLOG] = [benchDeliveries, benchFairness, benchBacklog].map(unlimited) as [
  Part,
  Part,
  Part,
];
const SIGN_IN = unlimited(benchSignIn);
const OPERATOR_TOKEN = unlimited(benchOperatorToken);
const ADAPTERS = unlimited(benchAdapters);
const TLS = unlimited(benchTls);
const TRACING = unlimited(benchTracing);
const SLOW_NEIGHBOURS = unlimited(benchSlowNeighbours);
const NEIGHBOURS: Part = { run: benchNeighbours, rateLimitPerSecond: NEIGHBOURS_RATE_LIMIT };

const PARTS: Record<string, Part[]> = {
  all: [
    SIGN_IN,
    OPERATOR_TOKEN,
    ADAPTERS,
    PAYMENTS,
    DELIVERIES,
    FAIRNESS,
    BACKLOG,
    NEIGHBOURS,
    SLOW_NEIGHBOURS,
    TLS,
    TRACING,
  ],
  payments: [PAYMENTS],
  webhooks: [DELIVERIES, FAIRNESS, BACKLOG],
  deliveries: [DELIVERIES],
  fairness: [FAIRNESS],
  backlog: [BACKLOG],
  neighbours: [NEIGHBOURS, SLOW_NEIGHBOURS],
  "sign-in": [SIGN_IN],
  "operator-token": [OPERATOR_TOKEN],
  adapters: [ADAPTERS],
  tls: [TLS],
  tracing: [TRACING],
  steady: [unlimited(benchSteady)],
  memory: [unlimited(benchMemory)],
  recovery: [unlimited(benchRecovery)],
  endpoints: [unlimited(benchEndpoints)],
  console: [unlimited(benchConsole)],
  "console-years": [unlimited(benchConsoleYears)],
  "lists-years": [unlimited(benchListsYears)],
  idle: [unlimited(benchIdle)],
  lists: [unlimited(benchLists)],
  settlement: [unlimited(benchSettlement)],
  years: [unlimited(benchYears)],
};

async function main(): Promise<void> {
  const parts = PARTS[options.only];
  if (!parts) throw new Error(`--only must be one of ${Object.keys(PARTS).join(", ")}`);
  const cleanUp: (() => Promise<void>)[] = [];
  // One after the other: what is under way breaks as the sandbox stops, and must not end this process before that is done.
  let cleaning = Promise.resolve();
  const clean = () => (cleaning = afterwards(cleaning, cleanUp));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void clean().then(() => process.exit(130)));
  }
  try {
    print(`node ${process.version}, load of the machine before the start: ${loadavg()[0]!.toFixed(1)}`);
    for (const [rateLimit, group] of Map.groupBy(parts, ({ rateLimitPerSecond }) => rateLimitPerSecond)) {
      const bench = await start(rateLimit, cleanUp);
      for (const { run } of group) {
        await bench.receiver.forget();
        await run(bench);
        print("");
      }
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

async function start(rateLimitPerSecond: number, cleanUp: (() => Promise<void>)[]): Promise<Bench> {
  const home = options.home ? resolve(options.home) : await mkdtemp(join(tmpdir(), "holdfast-bench-"));
  if (!options.home) cleanUp.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const stopping = new AbortController();
  const starting = startSandbox({
    home,
    portBase: 0,
    services: serviceDefinitions.map((service) => ({
      ...service,
      environment: (surroundings) => ({
        ...service.environment(surroundings),
        ...(service.isEdge && { RATE_LIMIT_PER_SECOND: String(rateLimitPerSecond) }),
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
  return {
    sandbox: sandbox.file,
    home,
    receiver,
    events,
    rounds: Number(options.rounds),
    seconds: Number(options.seconds),
    connections: Number(options.connections),
    rows: Number(options.rows),
    payments: Number(options.payments),
  };
}

/** Enough for one endpoint each in the fairness run. */
const PORTS = 420;

await main();
