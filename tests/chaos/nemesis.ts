import { setTimeout as delay } from "node:timers/promises";
import type { Behaviour } from "../support/index.ts";
import {
  subjectOf,
  type BankName,
  type Fault,
  type InflictedFault,
  type PlannedFault,
  type ProcessName,
  type ReceiverMood,
} from "./faults.ts";
import type { ForeignBank, ForeignBankName } from "./system/foreign-banks.ts";
import type { ManagedProcess } from "./system/managed-process.ts";
import type { ServiceProcess } from "./system/service-process.ts";
import { servicesOf, type System } from "./system/system.ts";

/**
 * Starts every fault at its time and ends it at its end. If the previous fault of the same subject takes
 * longer than planned (an orderly end, a server's recovery on a busy machine), the next one waits for it.
 */
export async function runNemesis(system: System, plan: readonly PlannedFault[]): Promise<InflictedFault[]> {
  const startedAt = Date.now();
  const latest = new Map<string, Promise<unknown>>();
  const inTurn = async ({ atMs, durationMs, fault }: PlannedFault, before: Promise<unknown> | undefined) => {
    await Promise.all([before, delay(Math.max(0, startedAt + atMs - Date.now()))]);
    const fromMs = Date.now();
    const mend = await inflict(system, fault);
    await delay(durationMs);
    await mend();
    return { fault, fromMs, untilMs: Date.now() };
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

/** @returns the function that ends it. */
async function inflict(system: System, fault: Fault): Promise<() => Promise<void> | void> {
  switch (fault.kind) {
    case "kill":
    case "terminate":
    case "stop":
    case "failpoint":
      return await inflictOnProcess(serviceOf(system, fault.process).process, fault);
    case "outage":
      return await takeDown(system, fault.server);
    case "loss": {
      await system.nats.kill();
      system.nats.wipe();
      return () => system.nats.restart();
    }
    case "freeze": {
      const { process } = bankOf(system, fault.server);
      process.pause();
      return () => process.resume();
    }
    case "business_day":
      // The bank may be down or stand still just now.
      await bankOf(system, fault.bank)
        .closeBusinessDay()
        .catch(() => undefined);
      return () => undefined;
    case "link": {
      const link = serviceOf(system, fault.process).links[fault.link];
      await link.set(fault.fault);
      return () => link.heal();
    }
    case "bank_link": {
      const { link } = bankOf(system, fault.bank);
      await link.set(fault.fault);
      return () => link.heal();
    }
    case "bank":
      // The bank itself may be down just now.
      await bankOf(system, fault.bank)
        .queueFault(fault)
        .catch(() => undefined);
      return () => undefined;
    case "unkindness": {
      // The bank may be down now, or at the fault's end; after a start it has no unkindness.
      const change = (modes: object) =>
        bankOf(system, fault.bank)
          .changeModes(modes)
          .catch(() => undefined);
      await change(fault.modes);
      const kind = Object.entries(fault.modes).map(([name, value]) => [name, value === true ? false : 0]);
      return () => change(Object.fromEntries(kind));
    }
    case "receiver": {
      const { receiver } = system.shops[fault.shop];
      const elsewhere = system.shops[fault.shop === 0 ? 1 : 0];
      receiver.behave(behaviourOf(fault.mood, new URL(elsewhere.path, elsewhere.receiver.url).href));
      return () => receiver.behave({ kind: "status", status: 200 });
    }
    default:
      return fault satisfies never;
  }
}

type ProcessFault = Extract<Fault, { kind: "kill" | "terminate" | "stop" | "failpoint" }>;

async function inflictOnProcess(
  process: ManagedProcess,
  fault: ProcessFault,
): Promise<() => Promise<void> | void> {
  switch (fault.kind) {
    case "kill":
      await process.kill();
      return () => process.spawn();
    case "terminate":
      await process.terminate();
      return () => process.spawn();
    case "stop":
      process.pause();
      return () => process.resume();
    case "failpoint":
      return await startWithFailpoint(process, fault.setting);
    default:
      return fault satisfies never;
  }
}

async function startWithFailpoint(process: ManagedProcess, setting: string): Promise<() => Promise<void>> {
  const again = async (env: Record<string, string>) => {
    await process.kill();
    await process.spawn(env);
  };
  await again({ FAILPOINTS: setting });
  // A process that stopped itself wakes up first: as a zombie it shall get as far as it can.
  return async () => {
    process.resume();
    await delay(ZOMBIE_MS);
    await again({});
  };
}

const ZOMBIE_MS = 500;

async function takeDown(
  system: System,
  server: "postgres" | "nats" | BankName,
): Promise<() => Promise<void>> {
  if (server === "postgres" || server === "nats") {
    await system[server].kill();
    return () => system[server].restart();
  }
  const { process } = bankOf(system, server);
  await process.kill();
  return () => process.spawn();
}

function bankOf(system: System, name: BankName): System["acquirer"] {
  return name === "acquirer" ? system.acquirer : foreignBankOf(system, name);
}

function foreignBankOf({ banks }: System, name: ForeignBankName): ForeignBank {
  const found = banks.find((bank) => bank.name === name);
  if (!found) throw new Error(`there is no bank ${name}`);
  return found;
}

/** @param elsewhere the other merchant's receiver, which no webhook of this merchant may reach. */
function behaviourOf(mood: ReceiverMood, elsewhere: string): Behaviour | (() => Behaviour) {
  const ok: Behaviour = { kind: "status", status: 200 };
  const error: Behaviour = { kind: "status", status: 500, body: "not now" };
  let requests = 0;
  switch (mood) {
    case "error":
      return error;
    case "redirect":
      return { kind: "status", status: 307, headers: { location: elsewhere } };
    case "reset":
    case "hang":
      return { kind: mood };
    case "drip_headers":
      return { kind: "drip", part: "headers", everyMs: 100 };
    case "drip_body":
      return { kind: "drip", part: "body", everyMs: 100 };
    case "slow":
      return { kind: "late", status: 200, afterMs: 500 };
    case "too_late":
      return { kind: "late", status: 200, afterMs: 1_500 };
    case "huge":
      return { kind: "huge", status: 200, bytes: 5_000_000 };
    case "unsteady":
      return () => (requests++ % 2 === 0 ? error : ok);
    default:
      return mood satisfies never;
  }
}

function serviceOf(system: System, name: ProcessName): ServiceProcess {
  const found = servicesOf(system).find(({ process }) => process.name === name);
  if (!found) throw new Error(`there is no process ${name}`);
  return found;
}
