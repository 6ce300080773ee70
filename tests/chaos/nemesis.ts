import { setTimeout as delay } from "node:timers/promises";
import { FAILPOINTS } from "@holdfast/service-runtime";
import type { Random } from "./random.ts";
import type { LinkName, ServiceProcess } from "./system/service-process.ts";
import { servicesOf, type System } from "./system/system.ts";
import type { LinkFault } from "./system/tcp-proxy.ts";

/** What is done to the system: plain data, so that a schedule can be printed and compared. */
export type Fault =
  /** SIGKILL, or SIGTERM and its orderly end, and started again at the end. */
  | { kind: "kill" | "terminate"; process: ProcessName }
  /** SIGSTOP, and SIGCONT at the end. */
  | { kind: "stop"; process: ProcessName }
  /** Started anew with a failpoint that kills or stops it, and again without it at the end. */
  | { kind: "failpoint"; process: "payments-1" | "payments-2"; setting: string }
  /** SIGKILL of a server, and started again on its data at the end. */
  | { kind: "outage"; server: "postgres" | "nats" | "acquirer" }
  | { kind: "link"; process: ProcessName; link: LinkName; fault: LinkFault }
  | { kind: "bank"; operation: string; behaviour: string; times: number };
export type ProcessName = "gateway-1" | "gateway-2" | "payments-1" | "payments-2" | "refunds";

export type PlannedFault = { atMs: number; durationMs: number; fault: Fault };

/** A fault as it was inflicted, for the report. */
export type InflictedFault = { fault: Fault; fromMs: number; untilMs: number };

/** Everything that will go wrong, drawn from the seed alone: about one fault every two seconds, several at a time. */
export function planNemesis(random: Random, { seconds }: { seconds: number }): PlannedFault[] {
  const plan: PlannedFault[] = [];
  const endMs = seconds * 1_000;
  for (let atMs = 1_000; atMs < endMs - SHORTEST_MS; atMs += random.integer(500, 3_000)) {
    const fault = planFault(random);
    const durationMs = Math.min(durationOf(random, fault), endMs - atMs);
    const isBusy = plan.some(
      (other) => subjectOf(other.fault) === subjectOf(fault) && other.atMs + other.durationMs + GAP_MS > atMs,
    );
    if (!isBusy) plan.push({ atMs, durationMs, fault });
  }
  return plan;
}

const SHORTEST_MS = 1_000;
/** A process that was started again has to live for a while before it can die again. */
const GAP_MS = 1_500;

function planFault(random: Random): Fault {
  const process = random.pick([
    "payments-1",
    "payments-2",
    "payments-1",
    "payments-2",
    "gateway-1",
    "gateway-2",
  ]);
  const kind = random.weighted({ kill: 3, terminate: 2, stop: 3, failpoint: 4, outage: 3, link: 6, bank: 3 });
  switch (kind) {
    case "kill":
    case "terminate":
    case "stop":
      return { kind, process };
    case "failpoint": {
      const action = random.pick(["kill", "kill", "stop", "delay(3s)"]);
      const setting = `${random.pick(PAYMENTS_FAILPOINTS)}:${action}@${random.integer(1, 3)}`;
      return { kind, process: random.pick(["payments-1", "payments-2"]), setting };
    }
    case "outage":
      return { kind, server: random.pick(["postgres", "nats", "acquirer"]) };
    case "link":
      return { kind, process, link: linkOf(random, process), fault: planLinkFault(random) };
    case "bank":
      return { kind, ...planBankFault(random) };
    default:
      return kind satisfies never;
  }
}

const PAYMENTS_FAILPOINTS = FAILPOINTS.filter((point) => point.startsWith("payments.")) as [
  string,
  ...string[],
];

function linkOf(random: Random, process: ProcessName): LinkName {
  return process.startsWith("gateway")
    ? random.pick(["bus", "database"])
    : random.pick(["bus", "database", "acquirer"]);
}

function planLinkFault(random: Random): LinkFault {
  const kind = random.pick(["delay", "blackhole", "half_open", "reset", "refuse"]);
  return kind === "delay" ? { kind, ms: random.integer(50, 1_000) } : { kind };
}

function planBankFault(random: Random): { operation: string; behaviour: string; times: number } {
  const operation = random.pick([
    "authorize",
    "sale",
    "reverse",
    "inquire",
    "capture",
    "cancel",
    "enrol",
    "complete",
  ]);
  if (operation === "reverse" && random.chance(0.5)) return { operation, behaviour: "refuse", times: 10 };
  const always = ["hang", "http_500", "garbage", "reset"] as const;
  const behaviour = random.pick(
    operation === "inquire" ? always : [...always, "hang_before", "late", "late_effect"],
  );
  return { operation, behaviour, times: random.integer(1, 10) };
}

/** Process stops outlive the lease every other time; servers come back soon enough for work to go on. */
function durationOf(random: Random, fault: Fault): number {
  switch (fault.kind) {
    case "stop":
      return random.integer(1_000, 9_000);
    case "failpoint":
      return random.integer(4_000, 9_000);
    case "kill":
    case "terminate":
    case "outage":
    case "link":
      return random.integer(500, 4_000);
    case "bank":
      return random.integer(2_000, 6_000);
    default:
      return fault satisfies never;
  }
}

/** Two faults of one subject would undo each other's end. */
function subjectOf(fault: Fault): string {
  switch (fault.kind) {
    case "kill":
    case "terminate":
    case "stop":
    case "failpoint":
      return fault.process;
    case "outage":
      return fault.server;
    case "link":
      return `${fault.process} ${fault.link}`;
    case "bank":
      return fault.operation;
    default:
      return fault satisfies never;
  }
}

/**
 * Inflicts every fault at its time and ends it at its end. Where the one before on the same subject takes longer than was
 * planned (an orderly end, a server's recovery on a busy machine), the next one waits for it.
 */
export async function runNemesis(system: System, plan: readonly PlannedFault[]): Promise<InflictedFault[]> {
  const startedAt = performance.now();
  const now = () => performance.now() - startedAt;
  const latest = new Map<string, Promise<unknown>>();
  const inTurn = async ({ atMs, durationMs, fault }: PlannedFault, before: Promise<unknown> | undefined) => {
    await Promise.all([before, delay(Math.max(0, atMs - now()))]);
    const fromMs = now();
    const mend = await inflict(system, fault);
    await delay(durationMs);
    await mend();
    return { fault, fromMs, untilMs: now() };
  };
  return await Promise.all(
    plan.map((planned) => {
      const subject = subjectOf(planned.fault);
      const inflicted = inTurn(planned, latest.get(subject));
      latest.set(subject, inflicted);
      return inflicted;
    }),
  );
}

/** @returns what ends it. */
async function inflict(system: System, fault: Fault): Promise<() => Promise<void> | void> {
  switch (fault.kind) {
    case "kill": {
      const { process } = serviceOf(system, fault.process);
      await process.kill();
      return () => process.spawn();
    }
    case "terminate": {
      const { process } = serviceOf(system, fault.process);
      await process.terminate();
      return () => process.spawn();
    }
    case "stop": {
      const { process } = serviceOf(system, fault.process);
      process.pause();
      return () => process.resume();
    }
    case "failpoint": {
      const { process } = serviceOf(system, fault.process);
      const again = async (env: Record<string, string>) => {
        await process.kill();
        await process.spawn(env);
      };
      await again({ FAILPOINTS: fault.setting });
      // A process that stopped itself wakes up first: as a zombie it shall get as far as it can.
      return async () => {
        process.resume();
        await delay(ZOMBIE_MS);
        await again({});
      };
    }
    case "outage":
      return await takeDown(system, fault.server);
    case "link": {
      const link = serviceOf(system, fault.process).links[fault.link];
      await link.set(fault.fault);
      return () => link.heal();
    }
    case "bank":
      // The bank itself may be down just now.
      await system.acquirer.queueFault(fault).catch(() => undefined);
      return () => undefined;
    default:
      return fault satisfies never;
  }
}

const ZOMBIE_MS = 500;

async function takeDown(
  system: System,
  server: "postgres" | "nats" | "acquirer",
): Promise<() => Promise<void>> {
  if (server === "acquirer") {
    await system.acquirer.process.kill();
    return () => system.acquirer.process.spawn();
  }
  await system[server].kill();
  return () => system[server].restart();
}

function serviceOf(system: System, name: ProcessName): ServiceProcess {
  const found = servicesOf(system).find(({ process }) => process.name === name);
  if (!found) throw new Error(`there is no process ${name}`);
  return found;
}
