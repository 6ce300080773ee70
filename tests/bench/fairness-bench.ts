import { randomUUIDv7 } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { print, printGoal, settled, witness, type Bench } from "./bench.ts";
import { forEach, newEndpoints, type Endpoint } from "./events.ts";
import { median, quantile, sharedClockUs } from "./figures.ts";

/** Of the endpoints that are healthy throughout. */
type Run = { sent: number; latenciesMs: number[] };

/**
 * 200 endpoints get events at a steady rate, all healthy and with 30 % of them black-holed, in turns. What
 * counts is how long the events of the same 140 take that are healthy throughout. Those that fall silent have just
 * answered: half of them go on taking requests and never answer, half do not even answer new connections.
 */
export async function benchFairness(bench: Bench): Promise<void> {
  const { receiver, events } = bench;
  const seconds = RUN_FACTOR * bench.seconds;
  const endpointsAt = (ports: number[]) =>
    newEndpoints(
      events,
      ports.map((port) => receiver.url(PATH, port)),
    );
  const healthy = await endpointsAt(receiver.ports.slice(0, HEALTHY));
  const spare = await endpointsAt(receiver.ports.slice(HEALTHY, HEALTHY + OTHERS));
  await run(bench, healthy, spare, Math.min(3, seconds));
  const baseline: Run[] = [];
  const blackHoled: Run[] = [];
  let unanswered = 0;
  for (let turn = 1; turn <= TURNS; turn++) {
    baseline.push(await run(bench, healthy, spare, seconds));
    const ports = receiver.ports.slice(HEALTHY + OTHERS * turn, HEALTHY + OTHERS * (turn + 1));
    const lost = await endpointsAt(ports);
    await deliverOnce(bench, lost);
    await receiver.behave(ports.slice(0, OTHERS / 2), "silent");
    await receiver.behave(ports.slice(OTHERS / 2), "deaf");
    blackHoled.push(await run(bench, healthy, lost, seconds));
    unanswered += await pending(bench);
    await forEach(lost, (endpoint) => events.turnOff(endpoint));
    await settled(bench);
    await receiver.behave(ports, "answers");
  }
  await forEach([...healthy, ...spare], (endpoint) => events.turnOff(endpoint));
  report(seconds, baseline, blackHoled, unanswered);
}

const PATH = "/fairness";
const HEALTHY = 140;
const OTHERS = 60;
/** Of what else the machine does, one run in three may have its share. */
const TURNS = 3;
/** A p99 needs more events than a rate does. */
const RUN_FACTOR = 2;
/**
 * Well below what one dispatcher can do beside its receiver on two cores: waiting for CPU time would be no fairness.
 */
const EVENTS_PER_SECOND = 300;
const TICK_MS = 5;

async function run(bench: Bench, healthy: Endpoint[], others: Endpoint[], seconds: number): Promise<Run> {
  const { events, receiver } = bench;
  await receiver.forget();
  const endpoints = interleave(healthy, others);
  const isHealthy = new Set(healthy);
  const sentAtUs = new Map<string, number>();
  const publishing: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let sent = 0; sent < seconds * EVENTS_PER_SECOND;) {
    const due = Math.min(
      seconds * EVENTS_PER_SECOND,
      ((performance.now() - startedAt) / 1_000) * EVENTS_PER_SECOND,
    );
    for (; sent < due; sent++) {
      const endpoint = endpoints[sent % endpoints.length]!;
      const eventId = randomUUIDv7();
      if (isHealthy.has(endpoint)) sentAtUs.set(eventId, sharedClockUs());
      publishing.push(events.publish(endpoint, eventId));
    }
    await delay(TICK_MS);
  }
  await Promise.all(publishing);
  const arrivals = await arrivalsOf(bench, sentAtUs);
  const latenciesMs = [...sentAtUs].flatMap(([eventId, atUs]) => {
    const arrivedAtUs = arrivals.get(eventId);
    return arrivedAtUs === undefined ? [] : [(arrivedAtUs - atUs) / 1_000];
  });
  return { sent: sentAtUs.size, latenciesMs };
}

/** Every healthy endpoint's neighbours are others, so that all get their events evenly. */
function interleave(healthy: Endpoint[], others: Endpoint[]): Endpoint[] {
  const place = (endpoints: Endpoint[]) =>
    endpoints.map((endpoint, index) => ({ endpoint, at: (index + 0.5) / endpoints.length }));
  return [...place(healthy), ...place(others)].sort((a, b) => a.at - b.at).map(({ endpoint }) => endpoint);
}

async function arrivalsOf({ receiver }: Bench, sent: Map<string, number>): Promise<Map<string, number>> {
  const deadline = performance.now() + ARRIVAL_TIMEOUT_MS;
  for (;;) {
    const arrivals = await receiver.arrivals();
    if (performance.now() > deadline || [...sent.keys()].every((eventId) => arrivals.has(eventId)))
      return arrivals;
    await delay(100);
  }
}

const ARRIVAL_TIMEOUT_MS = 15_000;

async function deliverOnce({ events, receiver }: Bench, endpoints: Endpoint[]): Promise<void> {
  await receiver.forget();
  await forEach(endpoints, (endpoint) => events.publish(endpoint));
  if (!(await receiver.hasReceived(PATH, endpoints.length, ARRIVAL_TIMEOUT_MS)))
    throw new Error("endpoints that are to fall silent did not get their first event");
}

async function pending({ sandbox }: Bench): Promise<number> {
  return await withClient(sandbox.databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from webhooks.delivery",
    );
    return rows[0]!.count;
  });
}

function report(seconds: number, baseline: Run[], blackHoled: Run[], unanswered: number): void {
  print(
    `fairness: ${HEALTHY + OTHERS} endpoints, ${EVENTS_PER_SECOND} events/s, ${TURNS} runs of ${seconds} s each, alternating; ` +
      `time from event to arrival at the ${HEALTHY} endpoints that are always healthy`,
  );
  for (const [name, runs] of Object.entries({ "all healthy": baseline, "30 % black-holed": blackHoled })) {
    const p99s = runs.map(({ latenciesMs }) => quantile(latenciesMs, 0.99).toFixed(1)).join(", ");
    const [p50, p99] = [medianOf(runs, 0.5), medianOf(runs, 0.99)];
    print(`${name.padEnd(18)} p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms (median of ${p99s})`);
  }
  const ratio = medianOf(blackHoled, 0.99) / medianOf(baseline, 0.99);
  printGoal("p99 with 30 % black-holed, divided by p99 with all healthy", ratio.toFixed(2), "< 2", ratio < 2);
  const runs = [...baseline, ...blackHoled];
  const sent = runs.reduce((total, run) => total + run.sent, 0);
  const arrived = runs.reduce((total, run) => total + run.latenciesMs.length, 0);
  witness(
    sent === arrived && unanswered > 0,
    `${sent} events for healthy endpoints, ${arrived} at the receiver; ${unanswered} pending for black-holed endpoints`,
  );
}

function medianOf(runs: Run[], share: number): number {
  return median(runs.map(({ latenciesMs }) => quantile(latenciesMs, share)));
}
