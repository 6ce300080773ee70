import { setTimeout as delay } from "node:timers/promises";
import { print, printGoal, settled, WARM_UP_S, witness, type Bench } from "./bench.ts";
import type { BareLoopResult } from "./bare-loop.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { forEach, newEndpoints, type Endpoint } from "./events.ts";
import { median, sharedClockUs } from "./figures.ts";
import { runProgram } from "./programs.ts";
import { whileStopped } from "./while-stopped.ts";

type Round = {
  delivered: number;
  perSecond: number;
  /** CPU time of the posting process; `others` has the sum of all other processes involved. */
  cpuMs: number;
  others: Record<string, number>;
};

/**
 * Measures the dispatcher's deliveries, with its defaults, of events that are put straight into its stream,
 * beside a loop in one process that only signs and posts the same bytes to the same receiver.
 */
export async function benchDeliveries(bench: Bench): Promise<void> {
  const { receiver, rounds } = bench;
  const origins = receiver.ports.slice(0, ENDPOINTS).map((port) => receiver.url("", port));
  const endpoints = await newEndpoints(
    bench.events,
    origins.map((origin) => `${origin}${PATH}`),
  );
  const dispatcher: Round[] = [];
  const bare: Round[] = [];
  // Settlement would read the same events, and repeatedly ask for their payments, which do not exist.
  await whileStopped([bench.sandbox.processes["settlement"]!], async () => {
    await dispatch(bench, endpoints, WARM_UP_S);
    await receiver.forget();
    for (let round = 0; round < rounds; round++) {
      dispatcher.push(await dispatch(bench, endpoints, bench.seconds));
      bare.push(await loop(bench, origins));
    }
  });
  report(bench, dispatcher, bare);
  const { distinct, requests } = await receiver.state();
  const published = sum(dispatcher);
  const posted = sum(bare);
  const warmUp = distinct["/warm-up"] ?? 0;
  const copies = requests - (distinct[PATH] ?? 0) - (distinct["/bare-loop"] ?? 0) - warmUp;
  witness(
    distinct[PATH] === published && distinct["/bare-loop"] === posted,
    `${published} events published, ${distinct[PATH]} at the receiver; the loop posted ${posted}, ` +
      `${distinct["/bare-loop"]} at the receiver; ${copies} copies`,
  );
  await forEach(endpoints, (endpoint) => bench.events.turnOff(endpoint));
}

const PATH = "/dispatcher";
/** Times the dispatcher's default of 8 at once for each: 128 under way. */
const ENDPOINTS = 16;
const IN_FLIGHT = ENDPOINTS * 8;
/** Published and not delivered yet: enough that the dispatcher never waits, too little to pile up in its tables. */
const OUTSTANDING_MAX = 1_000;
const CHUNK = 50;

async function dispatch(bench: Bench, endpoints: Endpoint[], seconds: number): Promise<Round> {
  const { receiver, events } = bench;
  const { "webhook-dispatcher": own, postgres, "nats-server": nats, payments } = bench.sandbox.processes;
  const pids = {
    "webhook-dispatcher": own!,
    postgres: postgres!,
    "nats-server": nats!,
    payments: payments!,
    receiver: receiver.pid,
  };
  const before = { cpu: cpuOf(pids), received: (await receiver.state()).distinct[PATH] ?? 0 };
  const startedAtUs = sharedClockUs();
  const end = performance.now() + seconds * 1_000;
  let published = 0;
  while (performance.now() < end) {
    const received = ((await receiver.state()).distinct[PATH] ?? 0) - before.received;
    const room = OUTSTANDING_MAX - (published - received);
    if (room < CHUNK) {
      await delay(POLL_MS);
      continue;
    }
    const chunk = Array.from({ length: room }, () => endpoints[published++ % endpoints.length]!);
    await Promise.all(chunk.map((endpoint) => events.publish(endpoint)));
  }
  await receiver.hasReceived(PATH, before.received + published, BACKLOG_TIMEOUT_MS);
  const { lastAtUs } = await receiver.state();
  await settled(bench);
  const cpu = cpuOf(pids);
  const used = Object.fromEntries(
    Object.entries(cpu).map(([name, ms]) => [name, (ms - before.cpu[name]!) / published]),
  );
  const { "webhook-dispatcher": cpuMs = 0, ...others } = used;
  return { delivered: published, perSecond: (published * 1e6) / (lastAtUs - startedAtUs), cpuMs, others };
}

const BACKLOG_TIMEOUT_MS = 30_000;
const POLL_MS = 15;

async function loop({ receiver, sandbox, seconds }: Bench, origins: string[]): Promise<Round> {
  const before = cpuTimeMs(receiver.pid);
  const result = await runProgram<BareLoopResult>("bare-loop.ts", {
    timeoutMs: (seconds + 30) * 1_000,
    args: [
      `--urls=${origins.join(",")}`,
      `--ca-file=${sandbox.caFile}`,
      `--in-flight=${IN_FLIGHT}`,
      `--seconds=${seconds}`,
    ],
  });
  const { delivered, startedAtUs, endedAtUs, cpuMs, warmedUp } = result;
  return {
    delivered,
    perSecond: (delivered * 1e6) / (endedAtUs - startedAtUs),
    cpuMs: cpuMs / delivered,
    others: { receiver: (cpuTimeMs(receiver.pid) - before) / (delivered + warmedUp) },
  };
}

function cpuOf(pids: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, cpuTimeMs(pid, { tree: name === "postgres" })]),
  );
}

function report({ rounds, seconds }: Bench, dispatcher: Round[], bare: Round[]): void {
  print(
    `deliveries: ${ENDPOINTS} endpoints, ${IN_FLIGHT} at the same time, ${rounds} rounds of ${seconds} s each, alternating; medians`,
  );
  for (const [name, all] of Object.entries({ dispatcher, "bare loop": bare })) {
    const others = Object.keys(all[0]?.others ?? {})
      .map((process) => `${process} ${median(all.map((round) => round.others[process] ?? 0)).toFixed(3)}`)
      .join(", ");
    print(
      `${name.padEnd(12)} ${of(all, "perSecond").toFixed(0).padStart(6)}/s  CPU ms per delivery: ` +
        `${of(all, "cpuMs").toFixed(3)} its own (${(1_000 / of(all, "cpuMs")).toFixed(0)}/s per core); ${others}`,
    );
  }
  const perCore = of(bare, "cpuMs") / of(dispatcher, "cpuMs");
  printGoal(
    "deliveries per second per core, divided by those of the bare loop",
    perCore.toFixed(2),
    ">= 0.55",
    perCore >= 0.55,
  );
  const overall = of(dispatcher, "perSecond") / of(bare, "perSecond");
  const postgresMs = median(dispatcher.map(({ others }) => others["postgres"] ?? 0));
  printGoal(
    "CPU of PostgreSQL per delivery",
    `${postgresMs.toFixed(2)} ms`,
    "<= 0.25 ms",
    postgresMs <= 0.25,
  );
  print(
    `deliveries per second with everything on this machine, divided by those of the bare loop: ${overall.toFixed(2)}`,
  );
}

function of(rounds: Round[], field: "perSecond" | "cpuMs"): number {
  return median(rounds.map((round) => round[field]));
}

function sum(rounds: Round[]): number {
  return rounds.reduce((total, { delivered }) => total + delivered, 0);
}
