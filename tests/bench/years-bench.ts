import { withClient } from "@holdfast/sandbox/infrastructure";
import { fillYears } from "../years/fill-years.ts";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { median } from "./figures.ts";
import { readLists } from "./lists-years-bench.ts";
import { HOLDFAST_PATH, holdfast, measure, type PaymentFigures } from "./payments-bench.ts";
import { whileNobodyLooks } from "./while-stopped.ts";

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
      const inBulk = payments >= IN_BULK_FROM;
      const merchantIds = [merchantId, ...others];
      const years = { payments, days: DAYS, merchantIds, inBulk };
      await whileNobodyLooks(bench, () => fillYears(sandbox.databaseUrl, years));
      await client.query("checkpoint");
      return difference(before, await bytesByTable((text) => client.query(text)));
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
/** Nothing is paid meanwhile, and one session would take the better part of an hour for ten million. */
const IN_BULK_FROM = 1_000_000;
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
    ["CPU time per payment, all processes", "ms", cpuOf],
    ["CPU time per payment, PostgreSQL", "ms", ({ cpuMs }: PaymentFigures) => cpuMs["postgres"] ?? 0],
    ["p50", "ms", ({ p50Ms }: PaymentFigures) => p50Ms],
    ["p99", "ms", ({ p99Ms }: PaymentFigures) => p99Ms],
  ] as const) {
    const [before, after] = [median(empty.map(of)), median(full.map(of))];
    const ratio = after / before;
    const figure = `${before.toFixed(2)} ${unit} with an empty database, ${after.toFixed(2)} ${unit} with a full one, ratio ${ratio.toFixed(2)}`;
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
  print(`bytes stored per payment, in all tables: ${Math.round(total)}; ${largest.join(", ")}`);
}
