import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceDefinitions, startSandbox, type SandboxFile } from "@holdfast/sandbox";
import { print, printGoal, settled, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { median } from "./figures.ts";
import type { LoadResult } from "./load.ts";
import { startProgram, type Program } from "./programs.ts";
import { asMerchant, runLoad } from "./run-load.ts";

/**
 * `off`: no collector is configured; `healthy` and `down`: the same services, whose collector answers, or is not there.
 */
const CASES = ["off", "healthy", "down"] as const;
type Case = (typeof CASES)[number];
/**
 * Payments answered in a second, and milliseconds of CPU time of all processes of the product, its database too, for
 * one.
 */
type Figures = Record<Case, { perSecond: number; cpuMs: number }[]>;
type Collector = Program<{ port: number }>;

/** What tracing costs at its default sampling, and what a dead collector costs beside a live one. */
export async function benchTracing(bench: Bench): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-bench-traced-"));
  let collector: Collector | undefined = await startCollector(0);
  const { port } = collector.first;
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
  const services = serviceDefinitions.map((service) => ({
    ...service,
    environment: (around: Parameters<typeof service.environment>[0]) => ({
      ...service.environment(around),
      ...endpoint,
    }),
  }));
  const traced = await startSandbox({ home, portBase: 0, services });
  const sandboxes = { off: bench.sandbox, healthy: traced.file, down: traced.file };
  const figures: Figures = { off: [], healthy: [], down: [] };
  const statuses = new Set<string>();
  let bytes = 0;
  try {
    for (const file of [sandboxes.off, sandboxes.healthy])
      await load(bench, file, Math.min(2, bench.seconds));
    for (let round = 0; round < bench.rounds; round++) {
      // In another order each time, so that none is always the first after a pause.
      for (const each of CASES.map((_, index) => CASES[(index + round) % CASES.length]!)) {
        if (each === "down") {
          bytes += await bytesOf(collector);
          await collector?.stop();
          collector = undefined;
        } else {
          collector ??= await startCollector(port);
        }
        const before = cpuOf(sandboxes[each]);
        const result = await load(bench, sandboxes[each], bench.seconds);
        for (const status of Object.keys(result.statuses)) statuses.add(status);
        const answered = Math.max(1, result.statuses["201"] ?? 0);
        figures[each].push({
          perSecond: (answered * 1_000_000) / (result.endedAtUs - result.startedAtUs),
          cpuMs: (cpuOf(sandboxes[each]) - before) / answered,
        });
      }
    }
    bytes += await bytesOf(collector);
  } finally {
    await collector?.stop();
    await traced.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
  report(figures);
  witness(
    bytes > 0 && [...statuses].join() === "201",
    `${bytes} bytes reached the collector; payments were answered ${[...statuses].join(", ")}`,
  );
}

async function startCollector(port: number): Promise<Collector> {
  return await startProgram("collector.ts", { args: [String(port)] });
}

async function bytesOf(collector: Collector | undefined): Promise<number> {
  if (!collector) return 0;
  const answer = await fetch(`http://127.0.0.1:${collector.first.port}/bytes`);
  return ((await answer.json()) as { bytes: number }).bytes;
}

async function load(bench: Bench, sandbox: SandboxFile, seconds: number): Promise<LoadResult> {
  const { connections } = bench;
  const result = await runLoad({ ...asMerchant(sandbox, sandbox.merchants[0]!), connections, seconds });
  await settled({ ...bench, sandbox });
  return result;
}

function cpuOf({ processes }: SandboxFile): number {
  return Object.entries(processes)
    .map(([name, pid]) => cpuTimeMs(pid, { tree: name === "postgres" }))
    .reduce((sum, ms) => sum + ms, 0);
}

function report(figures: Figures): void {
  for (const each of CASES) {
    const rounds = figures[each].map(({ perSecond }) => perSecond.toFixed(0)).join(", ");
    const cpu = median(figures[each].map(({ cpuMs }) => cpuMs)).toFixed(3);
    print(`tracing ${each}: ${rounds} payments/s, ${cpu} ms of CPU each`);
  }
  const ratio = (above: Case, below: Case) =>
    median(figures[above].map(({ perSecond }, round) => perSecond / figures[below][round]!.perSecond));
  const percent = (share: number) => `${(100 * (share - 1)).toFixed(1)} %`;
  const cost = ratio("healthy", "off");
  printGoal(
    "tracing at its default sampling changes throughput by",
    percent(cost),
    "-10 % at most",
    cost >= 0.9,
  );
  const dead = ratio("down", "healthy");
  printGoal(
    "a dead collector changes it, against a healthy one, by",
    percent(dead),
    "-5 % at most",
    dead >= 0.95,
  );
}
