/**
 * The load generator, a process of its own: keeps `connections` requests under way for `seconds` and prints
 * the results as one JSON line. It is a closed loop: a slower server gets fewer requests, never a growing
 * queue.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { quantile, sharedClockUs } from "./figures.ts";

/** Times are of the shared clock. */
export type LoadResult = {
  requests: number;
  statuses: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
  startedAtUs: number;
  endedAtUs: number;
};

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    headers: { type: "string", default: "{}" },
    body: { type: "string", default: "" },
    connections: { type: "string", default: "64" },
    seconds: { type: "string", default: "5" },
    /** Requests per second over all connections; 0 means as fast as they are answered. */
    rate: { type: "string", default: "0" },
  },
});

const target = new URL(values.url ?? "");
const connections = Number(values.connections);
const rate = Number(values.rate);
const pool = new Pool(target.origin, { connections, pipelining: 1 });
const headers = {
  "content-type": "application/json",
  ...(JSON.parse(values.headers) as Record<string, string>),
};
const latenciesMs: number[] = [];
const statuses: Record<string, number> = {};
const end = performance.now() + Number(values.seconds) * 1_000;

const startedAtUs = sharedClockUs();
await Promise.all(Array.from({ length: connections }, (_, index) => client(index)));
const result: LoadResult = {
  requests: latenciesMs.length,
  statuses,
  p50Ms: quantile(latenciesMs, 0.5),
  p99Ms: quantile(latenciesMs, 0.99),
  startedAtUs,
  endedAtUs: sharedClockUs(),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
await pool.close();

async function client(index: number): Promise<void> {
  const intervalMs = rate === 0 ? 0 : (1_000 * connections) / rate;
  let orders = 0;
  let due = performance.now() + (intervalMs * index) / connections;
  while (performance.now() < end && due < end) {
    const early = due - performance.now();
    if (early > 0) await delay(early);
    // With a rate, latency counts from the request's due time: a server that stalls cannot hide it.
    const started = intervalMs === 0 ? performance.now() : due;
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: target.pathname,
      headers,
      // Each request has an order of its own, because the gateway refuses a second payment of an undecided
      // order.
      body: values.body.replace("[<id>]", () => `bench-${index}-${orders++}`),
    });
    await body.dump();
    latenciesMs.push(performance.now() - started);
    statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
    due += intervalMs;
  }
}
