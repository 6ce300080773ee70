import { createDatabase } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { recordSpans } from "@holdfast/telemetry/testing";
import {
  createTestDatabase,
  eventually,
  plantSettlementAccount,
  TEST_ACCOUNT_ID,
  type TestDatabase,
} from "@holdfast/tests/support";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { SettlementDatabase } from "./database.ts";
import { lookForWork, startSettlingWork, type WorkKind } from "./settle-work.ts";

let database: TestDatabase;
let owner: Pool;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Pool({ connectionString: database.urls.settlement.owner, max: 2 });
  pool = new Pool({ connectionString: database.urls.settlement.app, max: 2 });
  await plantSettlementAccount((text, values) => owner.query(text, values));
});
afterAll(async () => {
  await pool.end();
  await owner.end();
  await database.drop();
});
beforeEach(() => owner.query("truncate import, upload cascade"));

const FILE = `'${TEST_ACCOUNT_ID}', 'generic', 'bank.csv'`;
const add = {
  interrupted: `insert into import (account_id, mapping, file_name, imported_by, state, lease_token, lease_until)
    values (${FILE}, 'olga', 'READING', gen_random_uuid(), now() - interval '1 second')`,
  uploads: `insert into upload (import_id, account_id, mapping, file_name, uploaded_by)
    values (gen_random_uuid(), ${FILE}, 'olga')`,
  // The feeds have been read to the time of the migration.
  feeds: `insert into import (account_id, mapping, file_name, imported_by, sha256, state, ended_at)
    values (${FILE}, 'olga', sha256('1'), 'TAKEN', now())`,
  comparison: `insert into import (account_id, mapping, file_name, imported_by, sha256, state, ended_at)
    values (${FILE}, 'olga', sha256('2'), 'TAKEN', now() - interval '1 year')`,
};

test("one statement says for which kinds of work something waits", async () => {
  let statements = 0;
  const db = createDatabase<SettlementDatabase>(pool).withPlugin({
    transformQuery: ({ node }) => node,
    transformResult({ result }) {
      statements++;
      return Promise.resolve(result);
    },
  });
  expect(await lookForWork(db)).toEqual([]);
  expect(statements).toBe(1);
  const found: WorkKind[] = [];
  for (const kind of ["interrupted", "uploads", "feeds", "comparison"] as const) {
    await owner.query(add[kind]);
    found.push(kind);
    expect(await lookForWork(db)).toEqual(found);
  }
});

test("a kind is done as long as something waits for it, in a trace of its own, and no other is", async () => {
  const recording = recordSpans();
  onTestFinished(() => recording.stop());
  await owner.query(add.uploads);
  const done: WorkKind[] = [];
  const doing = (kind: WorkKind) => () => {
    done.push(kind);
    // The second round finds the work that the first one left.
    return done.length === 2 ? owner.query("truncate upload cascade") : Promise.resolve();
  };
  const kinds = startSettlingWork(
    {
      db: createDatabase<SettlementDatabase>(pool),
      work: {
        interrupted: doing("interrupted"),
        uploads: doing("uploads"),
        chargebacks: doing("chargebacks"),
        feeds: doing("feeds"),
        comparison: doing("comparison"),
      },
    },
    { intervalMs: 20, clock: { isOff: () => false }, log: createLogger("settlement", "fatal") },
  );
  onTestFinished(() => kinds.stop(10_000));
  await eventually(() => expect(done.length).toBeGreaterThanOrEqual(2));
  expect(new Set(done)).toEqual(new Set(["uploads"]));
  const roots = recording.spans().filter(({ parentSpanContext }) => !parentSpanContext);
  expect(new Set(roots.map(({ name }) => name))).toEqual(new Set(["settle uploads"]));
});
