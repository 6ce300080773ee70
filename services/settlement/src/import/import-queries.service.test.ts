import { randomUUID } from "node:crypto";
import { createDatabase } from "@holdfast/postgres";
import { createTestDatabase, TEST_ACCOUNT_ID, type TestDatabase } from "@holdfast/tests/support";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SettlementDatabase } from "../database.ts";
import { count } from "./import-queries.ts";

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.urls.settlement.owner, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** More lines than a range has. */
const LINES = 1_001;

test("a file is counted by statements of a range each, from its first movement and its first payout on", async () => {
  const importId = randomUUID();
  await pool.query("insert into account (account_id) values ($1) on conflict do nothing", [TEST_ACCOUNT_ID]);
  await pool.query(
    `insert into import (import_id, account_id, mapping, file_name, imported_by, sha256, state, ended_at)
     values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'olga', sha256(''), 'TAKEN', now())`,
    [importId],
  );
  await pool.query(
    `insert into line (import_id, line_no, account_id, kind, gross_minor, fee_minor, net_minor, currency, payout_id, settles_on)
     select $1, line_no, '${TEST_ACCOUNT_ID}', case when line_no % 2 = 0 then 'PAYOUT' else 'FEE' end, -100, 0, -100, 'TRY',
       'p-' || line_no, date '2026-03-01' - line_no
     from generate_series(1, $2::int) as line_no`,
    [importId, LINES],
  );
  const reading: string[] = [];
  const db = createDatabase<SettlementDatabase>(pool).withPlugin({
    transformQuery: ({ node }) => {
      const text = node.kind === "RawNode" ? node.sqlFragments.join("?") : "";
      if (/from line\b/.test(text)) reading.push(text);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom("import")
      .selectAll()
      .where("import_id", "=", importId)
      .executeTakeFirstOrThrow();
    await count(trx, row, "olga");
  });
  expect(reading.filter((text) => !/line_no between|max\(line_no\)/.test(text))).toEqual([]);
  const { rows } = await pool.query(
    `select compared_since::text as compared, payouts_since::text as paid from account where account_id = '${TEST_ACCOUNT_ID}'`,
  );
  expect(rows).toEqual([{ compared: "2023-06-04", paid: "2023-06-05" }]);
});
