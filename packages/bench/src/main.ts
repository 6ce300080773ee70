/**
 * `npm run bench`: pre-authorizations through all real processes beside a bare handler that does the same durable work,
 * in turns within one run, on one machine with its load generator, database and acquirer. Machines are noisy, so what
 * counts is the ratio within the run. A figure counts only if the acquirer's ledger agrees with it afterwards.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { startSandbox, serviceDefinitions, type Sandbox } from "@holdfast/sandbox";
import { cpuTimeMs } from "./cpu-time.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "6" },
    connections: { type: "string", default: "64" },
  },
});

type Target = {
  name: string;
  url: string;
  headers: Record<string, string>;
  pids: () => Record<string, number>;
};
type LoadResult = { requests: number; statuses: Record<string, number>; p50Ms: number; p99Ms: number };
type Figures = LoadResult & { perSecond: number; cpuMs: Record<string, number> };

async function bench(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-bench-"));
  const sandbox = await startSandbox({ home, portBase: 0, services: serviceDefinitions });
  const bare = await startBareHandler(sandbox);
  try {
    const targets = [holdfast(sandbox), bare.target];
    for (const target of targets) await load(target, { seconds: 3 });
    const before = await approvals(sandbox);
    const peak = await inTurns(targets, () => ({}));
    const approved = (await approvals(sandbox)) - before;
    const half = 0.5;
    const gentle = await inTurns(targets, (target) => ({
      rate: median(peak[target.name]!, "perSecond") * half,
    }));
    report(peak, gentle);
    checkWitness(approved, peak);
  } finally {
    bare.process.kill("SIGTERM");
    await sandbox.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function inTurns(
  targets: Target[],
  loadOf: (target: Target) => { rate?: number },
): Promise<Record<string, Figures[]>> {
  const figures: Record<string, Figures[]> = {};
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const target of targets) (figures[target.name] ??= []).push(await load(target, loadOf(target)));
  }
  return figures;
}

async function load(
  target: Target,
  { rate = 0, seconds = Number(options.seconds) }: { rate?: number; seconds?: number },
): Promise<Figures> {
  const cpuBefore = cpuOf(target);
  const started = performance.now();
  const result = await runProgram<LoadResult>("load.ts", [
    `--url=${target.url}`,
    `--headers=${JSON.stringify(target.headers)}`,
    `--body=${JSON.stringify(body)}`,
    `--connections=${options.connections}`,
    `--seconds=${seconds}`,
    `--rate=${rate}`,
  ]);
  const elapsed = (performance.now() - started) / 1_000;
  const cpuAfter = cpuOf(target);
  const cpuMs = Object.fromEntries(
    Object.entries(cpuAfter).map(([name, ms]) => [name, (ms - (cpuBefore[name] ?? 0)) / result.requests]),
  );
  return { ...result, perSecond: result.requests / Math.min(elapsed, seconds), cpuMs };
}

const body = {
  orderId: "bench",
  amount: 12.5,
  currency: "TRY",
  cardHolderName: "Ada Lovelace",
  pan: "4111111111111111",
  expiryMonth: "12",
  expiryYear: String((new Date().getUTCFullYear() + 2) % 100),
  cvv: "123",
  requestIp: "203.0.113.7",
  requestPort: 443,
};

function cpuOf(target: Target): Record<string, number> {
  return Object.fromEntries(
    Object.entries(target.pids()).map(([name, pid]) => [name, cpuTimeMs(pid, { tree: name === "postgres" })]),
  );
}

function holdfast({ file }: Sandbox): Target {
  const [merchant] = file.merchants;
  return {
    name: "holdfast",
    url: `${file.gatewayUrl}/api/pre-authorization`,
    headers: { "x-api-key": merchant?.apiKey ?? "", "x-api-secret": merchant?.apiSecret ?? "" },
    pids: () => file.processes,
  };
}

async function startBareHandler({ file }: Sandbox): Promise<{ process: ChildProcess; target: Target }> {
  const { child, first } = await startProgram<{ port: number }>("bare-handler.ts", [], {
    BARE_DATABASE_URL: file.databaseUrl,
    ACQUIRER_URL: file.acquirerUrl,
  });
  const target: Target = {
    name: "bare handler",
    url: `http://127.0.0.1:${first.port}/api/pre-authorization`,
    headers: {},
    pids: () => ({
      "bare handler": child.pid!,
      postgres: file.processes["postgres"]!,
      "acquirer-simulator": file.processes["acquirer-simulator"]!,
    }),
  };
  return { process: child, target };
}

async function runProgram<Result>(program: string, args: string[]): Promise<Result> {
  const { child, first } = await startProgram<Result>(program, args, {});
  if (child.exitCode === null) await once(child, "exit");
  return first;
}

/** Starts a program of this folder; its first line of output is JSON. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names what the program prints
async function startProgram<First>(
  program: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ child: ChildProcess; first: First }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, first: JSON.parse(line) as First };
  }
  throw new Error(`${program} said nothing`);
}

async function approvals({ file }: Sandbox): Promise<number> {
  const text = await (await fetch(`${file.acquirerUrl}/ledger`)).text();
  return text
    .split("\n")
    .filter((line) => line.includes('"operation":"authorize"') && line.includes('"approved"')).length;
}

/** The acquirer must have approved exactly what both were answered for. */
function checkWitness(approved: number, figures: Record<string, Figures[]>): void {
  const answered = Object.values(figures)
    .flat()
    .reduce((sum, { statuses }) => sum + (statuses["201"] ?? 0), 0);
  const other = Object.values(figures)
    .flat()
    .some(({ statuses }) => Object.keys(statuses).some((s) => s !== "201"));
  print(`witness: ${answered} payments answered, ${approved} approved in the acquirer's ledger`);
  if (approved !== answered || other) {
    print("the witnesses do not agree: the figures above do not count");
    process.exitCode = 1;
  }
}

function median(figures: Figures[], field: "perSecond" | "p50Ms" | "p99Ms"): number {
  const sorted = figures.map((figure) => figure[field]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function report(peak: Record<string, Figures[]>, gentle: Record<string, Figures[]>): void {
  print(
    `node ${process.version}, ${options.connections} connections, ${options.rounds} rounds of ${options.seconds} s, medians`,
  );
  for (const [name, figures] of Object.entries(peak)) {
    const [first] = figures;
    const cpu = Object.keys(first?.cpuMs ?? {}).map((process) => {
      const values = figures.map(({ cpuMs }) => cpuMs[process] ?? 0).sort((a, b) => a - b);
      return `${process} ${values[Math.floor(values.length / 2)]!.toFixed(3)}`;
    });
    print(
      `${name.padEnd(13)} ${median(figures, "perSecond").toFixed(0).padStart(6)}/s  p50 ${median(figures, "p50Ms").toFixed(1)} ms  p99 ${median(figures, "p99Ms").toFixed(1)} ms  CPU ms a payment: ${cpu.join(", ")}`,
    );
  }
  const ratio = (figures: Record<string, Figures[]>, field: "perSecond" | "p50Ms" | "p99Ms") =>
    (median(figures["holdfast"]!, field) / median(figures["bare handler"]!, field)).toFixed(2);
  print(`throughput, holdfast to bare handler: ${ratio(peak, "perSecond")}`);
  print(
    `at half of each one's peak: p50 ratio ${ratio(gentle, "p50Ms")}, p99 ratio ${ratio(gentle, "p99Ms")}`,
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await bench();
