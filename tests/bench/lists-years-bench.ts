import { print, printGoal, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { quantile } from "./figures.ts";
import { fillHome } from "./fill-home.ts";
import { residentMiB } from "./resident-memory.ts";

/** How fast a merchant with most of `--payments` of a year reads lists. */
export async function benchListsYears(bench: Bench): Promise<void> {
  await fillHome(bench);
  await readLists(bench);
}

const SAMPLES = 20;
const range = (days: number) =>
  `from=${new Date(Date.now() - days * 86_400_000).toISOString()}&to=${new Date().toISOString()}`;

const LISTS: [name: string, path: string][] = [
  ["payments", "payments"],
  ["payments of one status", "payments?status=FAILED"],
  ["payments of one order", "payments?orderId=years-77"],
  ["payments of one customer", "payments?customerId=customer-7"],
  ["payments of one card's last four digits", "payments?last4=0042"],
  ["payments of a BIN and an amount within a range", `payments?bin=979200&amountFrom=50&${range(30)}`],
  ["checkouts", "checkouts"],
];

/** The first page of each list of the merchant with most of the payments, and an export of its last weeks. */
export async function readLists(bench: Bench): Promise<void> {
  for (const [name, path] of LISTS) {
    const times: number[] = [];
    const cpuBefore = cpuOf(bench);
    for (let sample = 0; sample < SAMPLES; sample++) {
      const startedAt = performance.now();
      const answer = await fetch(...asked(bench, path));
      await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      times.push(performance.now() - startedAt);
    }
    const middle = quantile(times, 0.5);
    const figure = `${middle.toFixed(1)} ms (least ${Math.min(...times).toFixed(1)} ms)`;
    printGoal(`first page of ${name}, median`, figure, "< 20 ms", middle < 20);
    print(`  CPU time per page: ${describeCpu(cpuBefore, cpuOf(bench), SAMPLES)}`);
  }
  await exportMonth(bench);
}

/** Of each that takes part in a list, in milliseconds: on a busy machine it says what a page takes on a quiet one. */
function cpuOf({ sandbox: { processes } }: Bench): number[] {
  return TAKE_PART.map((name) => cpuTimeMs(processes[name]!, { tree: name === "postgres" }));
}

const TAKE_PART = ["api-gateway", "payments", "refunds", "postgres"];

function describeCpu(before: number[], after: number[], pieces: number): string {
  const each = TAKE_PART.map(
    (name, index) => `${name} ${((after[index]! - before[index]!) / pieces).toFixed(1)}`,
  );
  return `${each.join(", ")} ms`;
}

function asked({ sandbox }: Bench, path: string, accept = "application/json"): [string, RequestInit] {
  const { apiKey, apiSecret } = sandbox.merchants[0]!;
  return [
    `${sandbox.gatewayUrl}/api/${path}`,
    { headers: { "x-api-key": apiKey, "x-api-secret": apiSecret, accept } },
  ];
}

async function exportMonth(bench: Bench): Promise<void> {
  const pid = bench.sandbox.processes["api-gateway"]!;
  const [before, cpuBefore, startedAt] = [residentMiB(pid), cpuOf(bench), performance.now()];
  const csv = await fetch(...asked(bench, `payments?${range(30)}`, "text/csv"));
  let [lines, most, tail] = [0, before, ""];
  for await (const chunk of csv.body!.pipeThrough(new TextDecoderStream())) {
    lines += chunk.split("\n").length - 1;
    most = Math.max(most, residentMiB(pid));
    tail = (tail + chunk).slice(-200);
  }
  // Beside the rows there are the header and the trailer.
  const rows = lines - 2;
  const perSecond = Math.round(rows / ((performance.now() - startedAt) / 1_000));
  witness(
    tail.includes(`\n#rows,${rows},`),
    `the trailer has the number of rows received, ${rows.toLocaleString("en")}`,
  );
  printGoal(
    "rows of CSV per second, for a month",
    perSecond.toLocaleString("en"),
    ">= 20,000",
    perSecond >= 20_000,
  );
  print(`CPU time per thousand rows: ${describeCpu(cpuBefore, cpuOf(bench), rows / 1_000)}`);
  print(`memory of the gateway: ${before} MiB before, ${most} MiB at most`);
}
