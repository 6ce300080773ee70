import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import { settle } from "../../services/settlement/src/settle.ts";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";

/**
 * A bank's file with a line for each of `--rows` payments: how long it takes until it is imported, and until every line
 * has been compared. Of each thousand lines one has another amount. The command that imports runs in this process.
 */
export async function benchSettlement(bench: Bench): Promise<void> {
  const { rows, sandbox } = bench;
  const directory = await mkdtemp(join(tmpdir(), "holdfast-bench-file-"));
  try {
    const file = join(directory, "bank.csv");
    await withClient(sandbox.databaseUrl, async (client) => {
      await client.query("set session_replication_role = replica; set synchronous_commit = off");
      await insertFacts(client, rows);
      await pipeline(Readable.from(writtenLines(rows)), createWriteStream(file));
      const { size } = await stat(file);
      print(`settlement: a file of ${rows.toLocaleString("en")} lines, ${Math.round(size / 2 ** 20)} MiB`);
      const imported = await measured(bench, () => importFile(sandbox.databaseUrl, file));
      const compared = await measured(bench, () => untilCompared(client));
      const seconds = (imported + compared) / 1_000;
      printGoal(
        "imported and compared",
        `${seconds.toFixed(1)} s`,
        "< 180 s for a million",
        seconds < rows * 180e-6,
      );
      await judge(client, rows);
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

const OTHER_AMOUNT_EVERY = 1_000;
const id = (index: number) =>
  `0199aaaa-${Math.floor(index / 65_536)
    .toString(16)
    .padStart(4, "0")}-7000-8000-${index.toString(16).padStart(12, "0")}`;

async function insertFacts(client: Client, rows: number): Promise<void> {
  await client.query(
    "insert into settlement.account (account_id, settlement_days) values ('bench', 400) on conflict do nothing",
  );
  await client.query(
    `insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at,
       version, order_id, masked_pan, external_transaction_id, auth_code)
     select ('0199aaaa-' || lpad(to_hex(n / 65536), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'bench',
       '0199aaaa-0000-7000-8000-00000000000a', 'SALE', 'DONE', 1000 + n % 5000, 'TRY',
       timestamptz '2026-03-10 00:00Z' + n * interval '40 milliseconds', 1, 'order-' || n, '411111******1111',
       'bank-' || n, 'A' || n
     from generate_series(0, $1::int - 1) as n`,
    [rows],
  );
  await client.query("vacuum (analyze) settlement.fact");
}

function* writtenLines(rows: number): Generator<string> {
  yield "kind,reference,bank_reference,auth_code,card,gross,fee,net,currency,transacted_at,settles_on,payout_id\r\n";
  for (let index = 0; index < rows; index += CHUNK) {
    let chunk = "";
    for (let each = index; each < Math.min(rows, index + CHUNK); each++) chunk += lineOf(each);
    yield chunk;
  }
}

const CHUNK = 1_000;

function lineOf(index: number): string {
  const minor = 1_000 + (index % 5_000) + (index % OTHER_AMOUNT_EVERY === 0 ? 1 : 0);
  const major = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
  const fee = Math.round(minor / 50);
  return `SALE,${id(index)},bank-${index},A${index},411111******1111,${major(minor)},${major(fee)},${major(minor - fee)},TRY,2026-03-10T12:00:00,2026-03-11,payout-1\r\n`;
}

async function importFile(databaseUrl: string, file: string): Promise<void> {
  let output = "";
  const args = ["import", file, "--mapping", "generic", "--account", "bench", "--database-url", databaseUrl];
  const code = await settle(args, { ALLOW_PLAINTEXT: "postgres" }, (text) => void (output += text));
  if (code !== 0) throw new Error(output);
}

async function untilCompared(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query("select from settlement.import where matched_at is not null");
    if (rows.length > 0) return;
    await delay(100);
  }
}

/** Prints the CPU time of the processes involved. @returns the time it took, in milliseconds. */
async function measured({ sandbox }: Bench, run: () => Promise<void>): Promise<number> {
  const { postgres, settlement } = sandbox.processes;
  const cpu = () => ({
    command: process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
    service: cpuTimeMs(settlement!),
    database: cpuTimeMs(postgres!, { tree: true }),
  });
  const [before, startedAt] = [cpu(), performance.now()];
  await run();
  const tookMs = performance.now() - startedAt;
  const after = cpu();
  const parts = (["command", "service", "database"] as const).map(
    (name) => `${name} ${((after[name] - before[name]) / 1_000).toFixed(1)} s`,
  );
  print(`${(tookMs / 1_000).toFixed(1).padStart(6)} s; CPU time: ${parts.join(", ")}`);
  return tookMs;
}

async function judge(client: Client, expected: number): Promise<void> {
  const { rows } = await client.query<{ verdict: string; count: number }>(
    "select verdict, count(*)::int as count from settlement.line group by verdict",
  );
  const counts = new Map(rows.map(({ verdict, count }) => [verdict, count]));
  const differing = Math.ceil(expected / OTHER_AMOUNT_EVERY);
  const agrees =
    counts.get("MATCHED") === expected - differing &&
    counts.get("AMOUNT_DIFFERS") === differing &&
    counts.size === 2;
  witness(agrees, `the verdicts are ${JSON.stringify(Object.fromEntries(counts))}`);
}
