import { randomUUID } from "node:crypto";
import {
  createTestDatabase,
  measurePlan,
  type TestDatabase,
  plantSettlementAccount,
  TEST_ACCOUNT_ID,
} from "@holdfast/tests/support";
import { createDatabase } from "@holdfast/postgres";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SettlementDatabase } from "../database.ts";
import { attachLines } from "./attach-statements.ts";

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.urls.settlement.owner, max: 1 });
  await plantSettlementAccount((text, values) => pool.query(text, values));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test("a range of a file that was taken just now is attached without reading the rest of the file", async () => {
  const [importId, factId, merchantId] = [randomUUID(), randomUUID(), randomUUID()];
  await pool.query(
    `insert into import (import_id, account_id, mapping, file_name, imported_by, sha256, state, ended_at)
     values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'olga', sha256(''), 'TAKEN', now())`,
    [importId],
  );
  // The table's statistics are stale.
  await pool.query(
    `insert into line (import_id, line_no, account_id, kind, gross_minor, fee_minor, net_minor, currency)
     select $1, line_no, '${TEST_ACCOUNT_ID}', 'SALE', 100, 0, 100, 'TRY' from generate_series(1, $2::int) as line_no`,
    [importId, LINES],
  );
  const attached = Array.from({ length: RANGE }, (_, index) => ({
    lineNo: 5_001 + index,
    factId,
    merchantId,
    verdict: "MATCHED" as const,
  }));
  const { sql: text, parameters } = attachLines(importId, attached).compile(
    createDatabase<SettlementDatabase>(pool),
  );
  const client = await pool.connect();
  const work = await measurePlan(client, { text, values: [...parameters] });
  client.release();
  expect(work.rows).toBeGreaterThanOrEqual(RANGE);
  expect(work.rows).toBeLessThan(LINES / 2);
});

const LINES = 20_000;
const RANGE = 1_000;
