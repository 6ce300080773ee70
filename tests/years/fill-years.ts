import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import { INDEXES, TABLES } from "./fill-indexes.ts";
import {
  FILL_ALONE,
  FILL_CHARGEBACKS,
  FILL_PAYMENTS,
  FILL_REFUNDS,
  FILL_SETTLEMENT,
  FILL_WEBHOOKS,
  MAKE_DRAWN,
} from "./fill-statements.ts";
import { inSessions, type Task } from "./sessions.ts";

export type YearsToFill = {
  /** Whole thousands; from a million on whole hundred thousands. */
  payments: number;
  /** Payments are spread evenly over so many days, up to an hour ago. */
  days: number;
  /** The merchants. The first has most of the payments, as in practice; the others share the rest. */
  merchantIds?: readonly string[];
  /** The first merchant's tenths of the payments. */
  largestTenths?: number;
  /** One of so many payments was charged back. */
  chargedBackEvery?: 50 | 10;
  /**
   * Uses several sessions, no durability, and indexes that are created after all rows: a tenth of the time.
   * No other session may use the database meanwhile.
   */
  inBulk?: boolean;
};

/**
 * Fills every table that grows with payments as years of use would have left it. All payments are settled,
 * confirmed, delivered and compared with the bank. A third are captured authorizations, a fifth were paid at
 * a checkout, a third with 3-D Secure, a twentieth refunded, and a fiftieth (or more) charged back. Rows with
 * a retention exist only within it.
 *
 * @param databaseUrl the superuser's URL: real payments would take too long.
 */
export async function fillYears(databaseUrl: string, years: YearsToFill): Promise<void> {
  const { days, inBulk = false } = years;
  const run = (tasks: readonly Task[], sessions = inBulk ? SESSIONS : 1) =>
    inSessions({ databaseUrl, sessions, first: OF_A_SESSION }, tasks);
  const one = (statements: readonly string[]) => run([inTurn(statements)], 1);
  await one(FILL_ALONE.map((statement) => statement.replaceAll(":days", String(days))));
  if (inBulk) await one([...WHILE_FILLING.map((setting) => `alter system set ${setting}`), RELOAD]);
  const indexes = inBulk ? await namesOf<{ name: string; definition: string }>(run, INDEXES) : [];
  await one(indexes.map(({ name }) => `drop index ${name}`));
  await run(batchesOf(years));
  await run(indexes.map(({ definition }) => inTurn([definition])));
  const tables = await namesOf<{ command: string }>(run, TABLES);
  await run(tables.map(({ command }) => inTurn([command])));
  if (!inBulk) return;
  await one([...WHILE_FILLING.map((setting) => `alter system reset ${setting.split(" ")[0]}`), RELOAD]);
  await one(["checkpoint"]);
}

const SESSIONS = 6;
const OF_A_SESSION = [
  "set session_replication_role = replica; set synchronous_commit = off; set search_path = public; set jit = off",
  "set maintenance_work_mem = '256MB'; set temp_buffers = '128MB'; set work_mem = '64MB'; set statement_timeout = 0",
  // A session that stands still in the middle of a transaction keeps its locks.
  "set lock_timeout = '1min'",
];
const WHILE_FILLING = [
  "autovacuum = off",
  "fsync = off",
  "full_page_writes = off",
  "max_wal_size = '4GB'",
  "checkpoint_timeout = '1h'",
];
const RELOAD = "select pg_reload_conf()";

const inTurn =
  (statements: readonly string[]): Task =>
  async (client) => {
    for (const statement of statements) await client.query(statement);
  };

async function namesOf<Row extends object>(
  run: (tasks: readonly Task[]) => Promise<void>,
  statement: string,
): Promise<Row[]> {
  let found: Row[] = [];
  await run([async (client: Client) => void (found = (await client.query<Row>(statement)).rows)]);
  return found;
}

/** Each batch is independent: its statements read only rows of its own payments' time. */
function batchesOf({
  payments,
  days,
  merchantIds = [randomUUID(), randomUUID(), randomUUID()],
  largestTenths = 9,
  chargedBackEvery = 50,
}: YearsToFill): Task[] {
  const batch = Math.min(payments, BATCH);
  const lastAt = new Date(Date.now() - 3_600_000);
  return Array.from({ length: Math.ceil(payments / batch) }, (_, index) => async (client: Client) => {
    const given = [
      batch,
      index * batch,
      payments,
      days,
      merchantIds,
      largestTenths,
      chargedBackEvery,
      lastAt,
    ];
    await client.query(MAKE_DRAWN, given);
    await inTurn([...FILL_BATCH, "drop table drawn"])(client);
  });
}

const BATCH = 100_000;
const FILL_BATCH = [
  ...FILL_PAYMENTS,
  ...FILL_CHARGEBACKS,
  ...FILL_REFUNDS,
  ...FILL_WEBHOOKS,
  ...FILL_SETTLEMENT,
];
