import { randomUUID } from "node:crypto";
import { createDatabase } from "@holdfast/postgres";
import {
  createTestDatabase,
  type TestDatabase,
  plantSettlementAccount,
  TEST_ACCOUNT_ID,
} from "@holdfast/tests/support";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SettlementDatabase } from "../database.ts";
import { matchImports } from "./match-imports.ts";

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.urls.settlement.owner, max: 2 });
  await plantSettlementAccount((text, values) => pool.query(text, values));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** More lines than a range has. */
const LINES = 1_001;

test("no statement writes more than a range of a file, or one payout", async () => {
  const importId = randomUUID();
  await pool.query(
    `insert into import (import_id, account_id, mapping, file_name, imported_by, sha256, state, ended_at)
     values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'olga', sha256(''), 'TAKEN', now() - interval '1 day')`,
    [importId],
  );
  await pool.query(
    `insert into line (import_id, line_no, account_id, kind, gross_minor, fee_minor, net_minor, currency, payout_id, settles_on)
     select $1, line_no, '${TEST_ACCOUNT_ID}', 'FEE', -100, 0, -100, 'TRY', 'p-' || line_no, date '2026-03-01' + line_no
     from generate_series(1, $2::int) as line_no`,
    [importId, LINES],
  );
  await pool.query(
    `insert into line_fault (import_id, line_no, reason)
     select $1, line_no, 'no amount' from generate_series($2::int + 1, 2 * $2::int) as line_no`,
    [importId, LINES],
  );
  let mostWritten = 0n;
  const db = createDatabase<SettlementDatabase>(pool).withPlugin({
    transformQuery: ({ node }) => node,
    transformResult({ result }) {
      const { numAffectedRows = 0n } = result;
      if (numAffectedRows > mostWritten) mostWritten = numAffectedRows;
      return Promise.resolve(result);
    },
  });
  await matchImports({ db, readNamed: () => Promise.resolve(true) }, () => false);
  expect(mostWritten).toBe(1_000n);
  const { rows } = await pool.query<{ count: number; first: string; last: string }>(
    `select count(*)::int, min(first_day)::text as first, max(last_day)::text as last
     from difference where class = 'UNREADABLE'`,
  );
  expect(rows).toEqual([{ count: LINES, first: "2026-03-02", last: "2028-11-26" }]);
  const payouts = await pool.query("select count(*)::int from payout where not judge");
  expect(payouts.rows).toEqual([{ count: LINES }]);
});
