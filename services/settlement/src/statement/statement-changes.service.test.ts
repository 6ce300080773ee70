import { randomUUID } from "node:crypto";
import { createDatabase } from "@holdfast/postgres";
import { Pool } from "pg";
import { eventually, TEST_ACCOUNT_ID } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSettleCommand } from "../../test/settle-command.ts";
import type { SettlementDatabase } from "../database.ts";
import { endChanges, leaseChanges, measureChanges, planDays } from "./statement-changes.ts";

let command: Awaited<ReturnType<typeof startSettleCommand>>;
let pool: Pool;
let db: ReturnType<typeof createDatabase<SettlementDatabase>>;
beforeAll(async () => {
  command = await startSettleCommand();
  pool = new Pool({ connectionString: command.database.urls.settlement.app, max: 2 });
  db = createDatabase<SettlementDatabase>(pool);
});
afterAll(async () => {
  await pool.end();
  await command.close();
});

const merchantId = randomUUID();
const importId = randomUUID();
const [paid, refunded, later] = [randomUUID(), randomUUID(), randomUUID()] as const;

/** A payment of the first day, its two refunds of the second and the third, and a line of each. */
beforeEach(async () => {
  await command.query(
    "truncate settlement.fact, settlement.line, settlement.difference, settlement.statement, settlement.import cascade",
  );
  await command.query(
    `insert into settlement.import (import_id, account_id, mapping, file_name, imported_by, sha256, state, ended_at, matched_at)
     values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'olga', sha256(''), 'TAKEN', now(), now())`,
    [importId],
  );
  await insertFact(paid, { amount: 1_000, at: "2026-03-10" });
  await insertFact(refunded, { amount: 300, at: "2026-03-11", parent: paid });
  await insertFact(later, { amount: 400, at: "2026-03-12", parent: paid });
  for (const [index, factId] of [paid, refunded, later].entries())
    await command.query(
      `insert into settlement.line (import_id, line_no, account_id, kind, gross_minor, fee_minor, net_minor, currency, settles_on,
         fact_id, merchant_id, verdict)
       select $1, $2, '${TEST_ACCOUNT_ID}', kind, amount_minor, 0, amount_minor, 'TRY', occurred_at::date, fact_id, merchant_id, 'MATCHED'
       from settlement.fact where fact_id = $3`,
      [importId, index + 1, factId],
    );
  await command.query("truncate settlement.statement_change");
});

async function insertFact(
  factId: string,
  { amount, at, parent = null }: { amount: number; at: string; parent?: string | null },
): Promise<void> {
  await command.query(
    `insert into settlement.fact (fact_id, account_id, parent_id, merchant_id, kind, standing, amount_minor, currency,
       occurred_at, version, order_id, masked_pan, reported, commission_minor)
     values ($1, '${TEST_ACCOUNT_ID}', $2, $3, $4, 'DONE', $5, 'TRY', $6, 1, 'order-1', '411111******1111', true, 20)`,
    [factId, parent, merchantId, parent === null ? "SALE" : "REFUND", amount, `${at}T12:00:00Z`],
  );
}

/** The noted changes, as days; `awaiting` stands for every day that waits for the bank. */
async function noted(): Promise<string[]> {
  const rows = await command.query<{ note: string }>(
    "select distinct coalesce(day::text, 'awaiting') || ' ' || currency as note from settlement.statement_change order by 1",
  );
  return rows.map(({ note }) => note);
}

const ALL = ["2026-03-10 TRY", "2026-03-11 TRY", "2026-03-12 TRY"];
const OF_PAID = `fact_id = '${paid}'`;

test.each<[string, string, string[]]>([
  [
    "a line that counts no more",
    `update settlement.line set verdict = 'AMOUNT_DIFFERS' where ${OF_PAID}`,
    ["2026-03-10 TRY"],
  ],
  [
    "a line that is of nobody any more",
    `update settlement.line set merchant_id = null, fact_id = null where ${OF_PAID}`,
    ["2026-03-10 TRY"],
  ],
  [
    "a commission, of which the refunds give a part back",
    `update settlement.fact set commission_minor = 21 where ${OF_PAID}`,
    ALL,
  ],
  [
    "a refund that came to nothing, before which and after which others of its payment are",
    `update settlement.fact set standing = 'NOT_DONE' where fact_id = '${refunded}'`,
    ["2026-03-11 TRY", "2026-03-12 TRY"],
  ],
  [
    "a fact that is reported, in whatever currency",
    `update settlement.fact set reported = false where ${OF_PAID};
     update settlement.fact set reported = true where ${OF_PAID}`,
    ["awaiting TRY"],
  ],
  [
    "an unreported sale that was voided",
    `update settlement.fact set reported = false where ${OF_PAID}; truncate settlement.statement_change;
     update settlement.fact set standing = 'VOIDED' where ${OF_PAID}`,
    ["2026-03-10 TRY", "2026-03-11 TRY", "2026-03-12 TRY", "awaiting TRY"],
  ],
  [
    "a difference that people have closed",
    `insert into settlement.difference (account_id, class, fact_id, amount_minor, currency, detail)
       values ('${TEST_ACCOUNT_ID}', 'AMOUNT_DIFFERS', '${paid}', 1, 'TRY', 'another amount');
     truncate settlement.statement_change;
     update settlement.difference set state = 'CLOSED', closed_by = 'olga', decision = 'NOT_OURS', reason = 'booked', ended_at = now()`,
    ["2026-03-10 TRY", "awaiting TRY"],
  ],
  [
    "an account's clock, for whoever awaits the bank",
    `insert into settlement.statement (merchant_id, currency, day, awaits) values ('${merchantId}', 'TRY', '2026-03-12', true);
     update settlement.account set time_zone = 'Europe/Berlin' where account_id = '${TEST_ACCOUNT_ID}'`,
    ["awaiting TRY"],
  ],
  ["another version alone", `update settlement.fact set version = version + 1 where ${OF_PAID}`, []],
])("it is noted whose statements may be others now: %s", async (_, change, expected) => {
  for (const statement of change.split(";")) await command.query(statement);
  expect(await noted()).toEqual(expected);
});

test("it is noted whose statements may be others now: a refund that is learnt of", async () => {
  await insertFact(randomUUID(), { amount: 100, at: "2026-03-10", parent: paid });
  expect(await noted()).toEqual(["2026-03-11 TRY", "2026-03-12 TRY"]);
});

test("it is noted whose statements may be others now: a payment that is learnt of after its refunds", async () => {
  await command.query(`delete from settlement.fact where ${OF_PAID}`);
  await command.query("truncate settlement.statement_change");
  await insertFact(paid, { amount: 1_000, at: "2026-03-10" });
  expect(await noted()).toEqual(["2026-03-11 TRY", "2026-03-12 TRY"]);
});

const note = (currency: string, day: string | null) =>
  command.query("insert into settlement.statement_change (merchant_id, currency, day) values ($1, $2, $3)", [
    merchantId,
    currency,
    day,
  ]);

test("changes are leased by one process, those of a merchant and currency together, and again when the lease is over", async () => {
  expect(await measureChanges(db)).toEqual({ dueInMs: undefined, oldestAgeMs: 0 });
  await note("TRY", "2026-03-11");
  await note("EUR", "2026-03-11");
  await note("TRY", "2026-03-10");
  await note("TRY", "2026-03-10");
  await note("TRY", null);
  expect((await measureChanges(db)).dueInMs).toBeLessThanOrEqual(0);
  expect(await leaseChanges(db, { limit: 1, leaseMs: 60_000 })).toMatchObject([
    { merchantId, currency: "TRY", days: ["2026-03-10", "2026-03-11"] },
  ]);
  expect(await leaseChanges(db, { limit: 2, leaseMs: 60_000 })).toMatchObject([
    { merchantId, currency: "EUR", days: ["2026-03-11"] },
  ]);
  expect((await measureChanges(db)).dueInMs).toBeGreaterThan(0);
  expect(await leaseChanges(db, { limit: 2, leaseMs: 60_000 })).toEqual([]);
  await command.query("update settlement.statement_change set look_at = now()");
  const [first, second] = await leaseChanges(db, { limit: 3, leaseMs: 60_000 });
  await endChanges(db, first!);
  await endChanges(db, second!);
  expect(await command.query("select from settlement.statement_change")).toEqual([]);
});

test("the end of a day that is not over is planned once, and is due then", async () => {
  const whose = { merchantId, currency: "TRY" };
  const tomorrow = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10);
  await planDays(db, whose, ["2026-03-10", tomorrow]);
  await planDays(db, whose, [tomorrow]);
  expect(await leaseChanges(db, { limit: 1, leaseMs: 60_000 })).toEqual([]);
  const { dueInMs, oldestAgeMs } = await measureChanges(db);
  expect(dueInMs).toBeGreaterThan(3_600_000);
  expect(oldestAgeMs).toBe(0);
  await command.query(
    "update settlement.statement_change set not_before = now() - interval '1 hour', look_at = now()",
  );
  expect((await measureChanges(db)).oldestAgeMs).toBeGreaterThanOrEqual(3_600_000);
  expect(await leaseChanges(db, { limit: 2, leaseMs: 60_000 })).toMatchObject([
    { ...whose, days: [tomorrow], changeIds: [expect.any(String)] },
  ]);
});

test("while a file is being compared nothing is leased, and for no longer than ten minutes", async () => {
  await note("TRY", "2026-03-11");
  await command.query("update settlement.import set matched_at = null");
  expect((await measureChanges(db)).dueInMs).toBeUndefined();
  expect(await leaseChanges(db, { limit: 1, leaseMs: 60_000 })).toEqual([]);
  await command.query("update settlement.import set ended_at = now() - interval '11 minutes'");
  expect((await measureChanges(db)).dueInMs).toBeLessThanOrEqual(0);
  expect(await leaseChanges(db, { limit: 1, leaseMs: 60_000 })).toHaveLength(1);
});

describe("an account that changes while a day begins to wait for the bank", () => {
  const awaitDay = `insert into settlement.statement (merchant_id, currency, day, awaits) values ('${merchantId}', 'TRY', '2026-03-13', true)
    on conflict (day, merchant_id, currency) do update set awaits = true`;
  const changeAccount = `update settlement.account set compared_since = coalesce(compared_since, '2026-03-01') + 1 where account_id = '${TEST_ACCOUNT_ID}'`;

  /**
   * Runs the second statement while the first one's transaction is open, which ends once the second waits for
   * it.
   */
  async function beside(first: string, second: string): Promise<void> {
    const owner = new Pool({ connectionString: command.database.urls.settlement.owner, max: 2 });
    const [one, other] = [await owner.connect(), await owner.connect()];
    try {
      await one.query("begin");
      await one.query(first);
      const { rows } = await other.query<{ pid: number }>("select pg_backend_pid() as pid");
      const done = other.query(second);
      await eventually(async () => {
        const waiting = "select from pg_locks where pid = $1 and locktype = 'advisory' and not granted";
        expect(await command.query(waiting, [rows[0]!.pid])).toHaveLength(1);
      });
      await one.query("commit");
      await done;
    } finally {
      for (const client of [one, other]) client.release();
      await owner.end();
    }
  }

  test("is noted for the day that was there first", async () => {
    await beside(awaitDay, changeAccount);
    expect(await noted()).toEqual(["awaiting TRY"]);
  });

  test("is seen by the day that came after it", async () => {
    await beside(changeAccount, awaitDay);
    expect(await noted()).toEqual([]);
    const waits = "select awaits from settlement.statement where day = '2026-03-13'";
    expect(await command.query(waits)).toEqual([{ awaits: true }]);
  });

  test("days that begin to wait at the same moment do not wait for each other", async () => {
    const owner = new Pool({ connectionString: command.database.urls.settlement.owner, max: 1 });
    const one = await owner.connect();
    await one.query("begin");
    await one.query(awaitDay);
    await command.query(awaitDay.replace("2026-03-13", "2026-03-14"));
    const there = await command.query("select day::text from settlement.statement");
    await one.query("rollback");
    expect(there).toEqual([{ day: "2026-03-14" }]);
    one.release();
    await owner.end();
  });
});
