import {
  createTestDatabase,
  plantSettlementAccount,
  type TestDatabase,
  TEST_ACCOUNT_ID,
} from "@holdfast/tests/support";
import { createDatabase } from "@holdfast/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SettlementDatabase } from "../database.ts";
import { measureDifferences, measureUnconfirmed } from "./measure-differences.ts";

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.urls.settlement.app, max: 1 });
  await plantSettlementAccount((text, values) => pool.query(text, values));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const DAY_MS = 86_400_000;

async function add(kind: string, days: number, state = "OPEN"): Promise<void> {
  await pool.query(
    `insert into difference (difference_id, account_id, class, payout_id, amount_minor, currency, detail, state, proposed_by, proposed_at,
       ended_at)
     values (uuidv7(-$2::int * interval '1 day'), '${TEST_ACCOUNT_ID}', $1, 'P-' || gen_random_uuid(), 1, 'TRY', 'a test', $3,
       case when $3 = 'PROPOSED' then 'olga' end, case when $3 = 'PROPOSED' then now() end,
       case when $3 = 'RESOLVED' then now() end)`,
    [kind, days, state],
  );
}

test("open differences are counted by kind, those that wait for a second person too, with the age of the oldest", async () => {
  const db = createDatabase<SettlementDatabase>(pool);
  const none = { open: 0, oldestAgeMs: 0 };
  expect(await measureDifferences(db)).toEqual({ movement: none, unreadable: none, payout: none });
  await add("LATE", 2);
  await add("MISSING_HERE", 4, "PROPOSED");
  await add("AMOUNT_DIFFERS", 9, "RESOLVED");
  await add("UNREADABLE", 1);
  await add("PAYOUT_MISSING", 5);
  await add("PAYOUT_DIFFERS", 3);
  const { movement, unreadable, payout } = await measureDifferences(db);
  expect([movement.open, unreadable.open, payout.open]).toEqual([2, 1, 2]);
  const days = [movement, unreadable, payout].map(({ oldestAgeMs }) => Math.floor(oldestAgeMs / DAY_MS));
  expect(days).toEqual([4, 1, 5]);
});

test("the oldest file that waits for a second person is measured, and none that counts", async () => {
  const db = createDatabase<SettlementDatabase>(pool);
  expect(await measureUnconfirmed(db)).toBe(0);
  for (const [state, days] of [
    ["TAKEN", 9],
    ["PROPOSED", 2],
    ["PROPOSED", 1],
  ] as const)
    await pool.query(
      `insert into import (import_id, account_id, mapping, file_name, imported_by, sha256, state, created_at, ended_at)
       values (uuidv7(), '${TEST_ACCOUNT_ID}', 'generic', 'a.csv', 'olga', sha256($2::text::bytea), $1,
         now() - $2::int * interval '1 day', case when $1 = 'TAKEN' then now() end)`,
      [state, days],
    );
  expect(Math.floor((await measureUnconfirmed(db)) / DAY_MS)).toBe(2);
});
