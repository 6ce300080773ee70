import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SandboxFile } from "@holdfast/sandbox";
import { print, printGoal, settled, witness, type Bench } from "./bench.ts";
import { newEndpoints, type Endpoint } from "./events.ts";
import { median } from "./figures.ts";
import { whileStopped } from "./while-stopped.ts";

/** `seconds` from the kill, or from where it would have been, until all webhooks are there. */
type Drain = { seconds: number; doubled: number; arrived: number };

/**
 * Kills a process while webhooks drain, as `kill -9` or a lost machine does, and measures the time until
 * every webhook is there, the lost ones and the duplicates, beside an undisturbed drain. The sandbox starts
 * the process again. The dispatcher is stopped while the events are published, so that it is killed in the
 * middle of its work.
 */
export async function benchRecovery(bench: Bench): Promise<void> {
  const { receiver, events, rounds } = bench;
  const endpoints = await newEndpoints(
    events,
    receiver.ports.slice(0, ENDPOINTS).map((port) => receiver.url(PATH, port)),
  );
  await drain(bench, endpoints, undefined);
  const drains = new Map<string, Drain[]>(VICTIMS.map((victim) => [victim ?? NO_VICTIM, []]));
  for (let round = 0; round < rounds; round++) {
    for (const victim of VICTIMS)
      drains.get(victim ?? NO_VICTIM)!.push(await drain(bench, endpoints, victim));
  }
  report(drains);
  await Promise.all(endpoints.map((endpoint) => events.turnOff(endpoint)));
}

const NO_VICTIM = "nobody";
const VICTIMS = [undefined, "webhook-dispatcher", "postgres", "nats-server"] as const;
const PATH = "/recovery";
const ENDPOINTS = 16;
const EVENTS = 5_000;
const CHUNK = 500;
/** The part of the events that has arrived by then. */
const KILLED_AFTER = 0.2;
/** Longer than a lease, its reaping and the stream's wait for an acknowledgement, after a restart. */
const TIMEOUT_MS = 90_000;
const COPIES_COME_MS = 500;

async function drain(bench: Bench, endpoints: Endpoint[], victim: string | undefined): Promise<Drain> {
  const { receiver } = bench;
  await receiver.forget();
  await whileStopped([pidOf(bench, "webhook-dispatcher")], () => publishAll(bench, endpoints));
  await receiver.hasReceived(PATH, EVENTS * KILLED_AFTER, TIMEOUT_MS);
  const killedAt = performance.now();
  if (victim !== undefined) process.kill(pidOf(bench, victim), "SIGKILL");
  await receiver.hasReceived(PATH, EVENTS, TIMEOUT_MS);
  const seconds = (performance.now() - killedAt) / 1_000;
  await settled(bench, TIMEOUT_MS);
  await delay(COPIES_COME_MS);
  await everyoneIsBack(bench);
  const { distinct, requests } = await receiver.state();
  const arrived = distinct[PATH] ?? 0;
  return { seconds, doubled: requests - arrived, arrived };
}

async function publishAll({ events }: Bench, endpoints: Endpoint[]): Promise<void> {
  for (let from = 0; from < EVENTS; from += CHUNK) {
    const chunk = Array.from({ length: CHUNK }, (_, index) => endpoints[(from + index) % endpoints.length]!);
    await Promise.all(chunk.map((endpoint) => events.publish(endpoint)));
  }
}

/** Reads the sandbox's file again: a process that was killed before has another number since. */
function processesOf({ sandbox }: Bench): Record<string, number> {
  const file = readFileSync(join(dirname(sandbox.logs), "sandbox.json"), "utf8");
  return (JSON.parse(file) as SandboxFile).processes;
}

function pidOf(bench: Bench, name: string): number {
  const pid = processesOf(bench)[name];
  if (pid === undefined) throw new Error(`${name} does not run`);
  return pid;
}

/** @throws when one is not started again. */
async function everyoneIsBack(bench: Bench): Promise<void> {
  const names = Object.keys(bench.sandbox.processes);
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const running = processesOf(bench);
    if (names.every((name) => running[name] !== undefined)) return;
    if (performance.now() > deadline) throw new Error("a process was not started again");
    await delay(100);
  }
}

function report(drains: Map<string, Drain[]>): void {
  const undisturbed = median(drains.get(NO_VICTIM)!.map(({ seconds }) => seconds));
  for (const [victim, rounds] of drains) {
    const seconds = rounds.map((round) => round.seconds);
    print(
      `killed after ${KILLED_AFTER * 100} % of ${EVENTS} events: ${victim.padEnd(18)} all arrived after ` +
        `${seconds.map((each) => each.toFixed(1)).join(", ")} s, ` +
        `lost ${rounds.map(({ arrived }) => EVENTS - arrived).join(", ")}, ` +
        `arrived twice ${rounds.map(({ doubled }) => doubled).join(", ")}`,
    );
    const later = median(seconds) - undisturbed;
    const goal = `delay until all events arrive after a kill of ${victim}, compared with no kill`;
    if (victim !== NO_VICTIM) printGoal(goal, `${later.toFixed(1)} s`, "<= 5 s", later <= 5);
  }
  const all = [...drains.values()].flat();
  witness(
    all.every(({ arrived }) => arrived === EVENTS),
    `${EVENTS} events published in each of ${all.length} drains, ${all.filter(({ arrived }) => arrived === EVENTS).length} drains with all of them at the receiver`,
  );
}
