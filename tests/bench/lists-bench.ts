import { print, printGoal, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { quantile } from "./figures.ts";
import { insertHistory } from "./insert-history.ts";
import { residentMiB } from "./resident-memory.ts";

/**
 * Measures the first page of every kind of list, and an export of a merchant's rows, with a long history in
 * both services. The rows belong to one merchant; the results of the searches are spread over all of them.
 */
export async function benchLists(bench: Bench): Promise<void> {
  await insertHistory(bench);
  for (const [name, path] of FIRST_PAGES) {
    const times = await timesOf(bench, path);
    const [least, middle] = [Math.min(...times), quantile(times, 0.5)];
    const figure = `${middle.toFixed(1)} ms (least ${least.toFixed(1)} ms)`;
    printGoal(`first page ${name}, median`, figure, "< 20 ms", middle < 20);
  }
  await exportAll(bench);
}

const SAMPLES = 60;

const RANGE = () =>
  `from=${new Date(Date.now() - 30 * 86_400_000).toISOString()}&to=${new Date().toISOString()}`;

/** Kinds of lists of `/api/payments`. */
const FIRST_PAGES: [name: string, query: string][] = [
  ["of everything", ""],
  ["of one status", "?status=FAILED"],
  ["of one order", "?orderId=bench-0-77"],
  ["of one customer", "?customerId=customer-7"],
  ["of one card's last four digits", "?last4=0042"],
  ["of a BIN and an amount within a range", `?bin=979200&amountFrom=50&${RANGE()}`],
];

async function timesOf({ sandbox }: Bench, query: string): Promise<number[]> {
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const startedAt = performance.now();
    const answer = await fetch(`${sandbox.gatewayUrl}/api/payments${query}`, { headers: headersOf(sandbox) });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${query}: ${answer.status}`);
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function exportAll({ sandbox, rows }: Bench): Promise<void> {
  const pid = sandbox.processes["gateway-merchant"] ?? sandbox.processes["api-gateway"]!;
  const before = residentMiB(pid);
  const cpuOf = (name: string) => cpuTimeMs(sandbox.processes[name] ?? pid);
  const busy = ["payments", "refunds"].map((name) => ({ name, fromMs: cpuOf(name) }));
  const databaseCpu = () => cpuTimeMs(sandbox.processes["postgres"]!, { tree: true });
  const [gatewayFromMs, databaseFromMs] = [cpuTimeMs(pid), databaseCpu()];
  let most = before;
  let lines = 0;
  let tail = "";
  const startedAt = performance.now();
  const answer = await fetch(`${sandbox.gatewayUrl}/api/payments`, {
    headers: { ...headersOf(sandbox), accept: "text/csv" },
  });
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    lines += chunk.split("\n").length - 1;
    tail = (tail + chunk).slice(-200);
    most = Math.max(most, residentMiB(pid));
  }
  const perSecond = Math.round((lines - 2) / ((performance.now() - startedAt) / 1_000));
  const expected = rows * 1.05;
  witness(
    tail.includes(`\n#rows,${expected},`),
    `the export ends with its ${expected.toLocaleString("en")} rows`,
  );
  printGoal("rows of CSV per second", perSecond.toLocaleString("en"), ">= 20,000", perSecond >= 20_000);
  const perThousand = (ms: number) => `${((ms / lines) * 1_000).toFixed(1)} ms`;
  const ofServices = busy.map(({ name, fromMs }) => `${name} ${perThousand(cpuOf(name) - fromMs)}`);
  const ofGateway = perThousand(cpuTimeMs(pid) - gatewayFromMs);
  const ofDatabase = perThousand(databaseCpu() - databaseFromMs);
  print(`CPU time per 1,000 rows: gateway ${ofGateway}, ${ofServices.join(", ")}, database ${ofDatabase}`);
  print(`memory of the gateway: ${before} MiB before, at most ${most} MiB during the export`);
}

function headersOf({ merchants }: Bench["sandbox"]): Record<string, string> {
  const { apiKey, apiSecret } = merchants[0]!;
  return { "x-api-key": apiKey, "x-api-secret": apiSecret };
}
