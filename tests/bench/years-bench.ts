import { withClient } from "@holdfast/sandbox/infrastructure";
import { fillYears } from "../years/fill-years.ts";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { median, quantile } from "./figures.ts";
import { HOLDFAST_PATH, holdfast, measure, type PaymentFigures } from "./payments-bench.ts";

/**
 * What a payment costs after years: the same load on an empty database and on one that has `--payments` of 90 days in every
 * table, in one run. Then how fast a merchant with nearly all of them reads lists, and what a payment takes on disk.
 */
export async function benchYears(bench: Bench): Promise<void> {
  const { sandbox, events, receiver, payments } = bench;
  const [merchant] = sandbox.merchants;
  const { merchantId } = merchant!;
  await events.turnOn({ merchantId, url: receiver.url(HOLDFAST_PATH) });
  try {
    await measure(bench, holdfast(bench), { rate: RATE, seconds: WARM_UP_SECONDS });
    const empty = await rounds(bench);
    const others = sandbox.merchants.slice(1).map((other) => other.merchantId);
    const startedAt = performance.now();
    const bytes = await withClient(sandbox.databaseUrl, async (client) => {
      const before = await bytesByTable((text) => client.query(text));
      const query = (text: string, values?: unknown[]) => client.query(text, values);
      await fillYears(query, { payments, days: DAYS, merchantIds: [merchantId, ...others] });
      await client.query("checkpoint");
      return difference(before, await bytesByTable(query));
    });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    print(`years: ${payments.toLocaleString("en")} payments of ${DAYS} days inserted in ${seconds} s`);
    // Plans that were made for empty tables are made again by those who sent them.
    await measure(bench, holdfast(bench), { rate: RATE, seconds: WARM_UP_SECONDS });
    compare(empty, await rounds(bench));
    printBytes(bytes, payments);
  } finally {
    await events.turnOff(merchant!);
  }
  await readLists(bench);
}

const DAYS = 90;
/** Payments a second: one that a busy machine meets too, so that both measurements do the same work in the same time. */
const RATE = 50;
const WARM_UP_SECONDS = 5;

async function rounds(bench: Bench): Promise<PaymentFigures[]> {
  const figures: PaymentFigures[] = [];
  for (let round = 0; round < bench.rounds; round++)
    figures.push(await measure(bench, holdfast(bench), { rate: RATE }));
  return figures;
}

const cpuOf = ({ cpuMs }: PaymentFigures) => Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);

function compare(empty: PaymentFigures[], full: PaymentFigures[]): void {
  const refused = [...empty, ...full].some(({ statuses }) =>
    Object.keys(statuses).some((each) => each !== "201"),
  );
  const answered = [...empty, ...full].reduce((sum, each) => sum + each.answered, 0);
  witness(
    !refused && answered > 0,
    `${answered} payments answered, ${refused ? "some not with 201" : "all with 201"}`,
  );
  for (const [what, unit, of] of [
    ["CPU time of a payment, all processes", "ms", cpuOf],
    ["CPU time of a payment, PostgreSQL", "ms", ({ cpuMs }: PaymentFigures) => cpuMs["postgres"] ?? 0],
    ["p50", "ms", ({ p50Ms }: PaymentFigures) => p50Ms],
    ["p99", "ms", ({ p99Ms }: PaymentFigures) => p99Ms],
  ] as const) {
    const [before, after] = [median(empty.map(of)), median(full.map(of))];
    const ratio = after / before;
    const figure = `${before.toFixed(2)} ${unit} empty, ${after.toFixed(2)} ${unit} full, ratio ${ratio.toFixed(2)}`;
    printGoal(what, figure, "<= 1.15", ratio <= 1.15);
  }
}

type Query = (text: string) => Promise<{ rows: { table: string; bytes: string }[] }>;

/** Of each table of the product with its indexes, its partitions included. */
async function bytesByTable(query: Query): Promise<Map<string, number>> {
  const { rows } = await query(`
    select namespace.nspname || '.' || regexp_replace(relname, '_(\\d{8}|default)$', '') as table,
      sum(pg_total_relation_size(class.oid))::text as bytes
    from pg_class as class join pg_namespace as namespace on namespace.oid = relnamespace
    where relkind = 'r' and nspname in ('gateway', 'payments', 'refunds', 'settlement', 'webhooks') group by 1`);
  return new Map(rows.map(({ table, bytes }) => [table, Number(bytes)]));
}

function difference(before: Map<string, number>, after: Map<string, number>): Map<string, number> {
  return new Map([...after].map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)]));
}

function printBytes(bytes: Map<string, number>, payments: number): void {
  const each = [...bytes]
    .map(([table, total]) => ({ table, a: total / payments }))
    .toSorted((x, y) => y.a - x.a);
  const total = each.reduce((sum, { a }) => sum + a, 0);
  const largest = each.filter(({ a }) => a >= 10).map(({ table, a }) => `${table} ${Math.round(a)}`);
  print(`bytes of a payment with its part of everything: ${Math.round(total)}; ${largest.join(", ")}`);
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

async function readLists({ sandbox }: Bench): Promise<void> {
  const { apiKey, apiSecret } = sandbox.merchants[0]!;
  const headers = { "x-api-key": apiKey, "x-api-secret": apiSecret };
  for (const [name, path] of LISTS) {
    const times: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      const startedAt = performance.now();
      const answer = await fetch(`${sandbox.gatewayUrl}/api/${path}`, { headers });
      await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      times.push(performance.now() - startedAt);
    }
    const middle = quantile(times, 0.5);
    const figure = `${middle.toFixed(1)} ms (least ${Math.min(...times).toFixed(1)} ms)`;
    printGoal(`first page of ${name}, median`, figure, "< 20 ms", middle < 20);
  }
  const startedAt = performance.now();
  const csv = await fetch(`${sandbox.gatewayUrl}/api/payments?${range(7)}`, {
    headers: { ...headers, accept: "text/csv" },
  });
  let lines = 0;
  for await (const chunk of csv.body!.pipeThrough(new TextDecoderStream()))
    lines += chunk.split("\n").length - 1;
  const perSecond = Math.round(lines / ((performance.now() - startedAt) / 1_000));
  const figure = `${perSecond.toLocaleString("en")} of ${lines.toLocaleString("en")}`;
  printGoal("rows of CSV a second, of the last week", figure, ">= 20,000", perSecond >= 20_000);
}
