import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "@holdfast/sandbox/infrastructure";
import type { Client } from "pg";
import { print, printGoal, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";

/**
 * Measures the work of a replica of payments without requests: recovery, expiry, relay, comparison, measures. A long
 * history must not make it cost more.
 */
export async function benchIdle(bench: Bench): Promise<void> {
  await withClient(bench.sandbox.databaseUrl, async (client) => {
    const before = await measureIdle(bench, client);
    report("with an empty database", before);
    const startedAt = performance.now();
    await insertHistory(client, bench.payments);
    const rows = bench.payments.toLocaleString("en");
    print(`${rows} payments inserted in ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    const after = await measureIdle(bench, client);
    report(`with ${rows} payments`, after);
    const share = after.process + after.database;
    printGoal(
      "periodic work of a replica, as a share of one core",
      `${share.toFixed(2)} %`,
      "< 1 %",
      share < 1,
    );
  });
}

const MEASURE_MS = 60_000;
const QUICK_MS = 5_000;
const SAMPLE_MS = 1_000;

/** Shares of one core in percent. */
type Idle = { process: number; database: number };

async function measureIdle({ sandbox, quick }: Bench, client: Client): Promise<Idle> {
  const pid = sandbox.processes["payments"]!;
  const from = cpuTimeMs(pid);
  const measureMs = quick ? QUICK_MS : MEASURE_MS;
  let database = 0;
  let seen = new Map<number, number>();
  for (const end = performance.now() + measureMs; performance.now() < end; await delay(SAMPLE_MS)) {
    // Connections come and go: counts the CPU time of each since it was seen last.
    const now = new Map((await backendsOf(client)).map((backend) => [backend, cpuTimeMs(backend)]));
    for (const [backend, usedMs] of now) database += usedMs - (seen.get(backend) ?? usedMs);
    seen = now;
  }
  const share = (ms: number) => (ms / measureMs) * 100;
  return { process: share(cpuTimeMs(pid) - from), database: share(database) };
}

async function backendsOf(client: Client): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where usename = 'payments_app'",
  );
  return rows.map(({ pid }) => pid);
}

function report(when: string, { process, database }: Idle): void {
  print(
    `${when}: process ${process.toFixed(2)} %, its database connections ${database.toFixed(2)} % of a core`,
  );
}

/** Payments of two years with their events, all settled, a third of them authorizations that were fully released. */
async function insertHistory(client: Client, count: number): Promise<void> {
  await client.query("set session_replication_role = replica; set synchronous_commit = off");
  for (let done = 0; done < count; done += BATCH) await client.query(INSERT, [BATCH, done, count]);
  for (const table of ["payment", "outbox"]) await client.query(`vacuum (analyze) payments.${table}`);
  await client.query("checkpoint");
}

const BATCH = 100_000;

const INSERT = `
  with drawn as (
    select uuidv7(((number::float8 + $2::int) / $3::int - 1) * interval '730 days') as payment_id, number
    from generate_series(1, $1::int) as number
  ), inserted as (
    insert into payments.payment (payment_id, merchant_id, transaction_type, state, version, order_id, amount_minor,
      currency, currency_exponent, installment_count, commission_minor, request_ip, request_port, card_holder_name,
      masked_pan, account_id, pan_fingerprint, pan_fingerprint_key_id, refunds_commission, captured_minor, released_minor, created_at, updated_at, state_since,
      authorization_expires_at)
    select payment_id, '00000000-0000-4000-8000-000000000001',
      case number % 3 when 0 then 'PAYMENT' else 'PRE_AUTHORIZATION' end,
      case number % 3 when 2 then 'CAPTURED' else 'SUCCESS' end,
      3, 'order-' || number, 10000, 'TRY', 2, 1, 0, '192.0.2.1', 443, 'Ada Lovelace',
      '411111******1111', '00000000-0000-4000-8000-000000000002', decode(repeat('00', 32), 'hex'), '0', true,
      case number % 3 when 2 then 10000 else 0 end, case number % 3 when 1 then 10000 else 0 end,
      uuid_extract_timestamp(payment_id), uuid_extract_timestamp(payment_id), uuid_extract_timestamp(payment_id),
      uuid_extract_timestamp(payment_id) + interval '7 days'
    from drawn
    returning payment_id, created_at
  )
  insert into payments.outbox (event_id, event_type, payment_id, merchant_id, status, body, confirmed_at,
    publish_attempts, publish_at)
  select payment_id, 'payment.status_changed', payment_id, '00000000-0000-4000-8000-000000000001', 'SUCCESS',
    decode(repeat('20', 400), 'hex'), created_at, 1, created_at + interval '1 minute'
  from inserted`;
