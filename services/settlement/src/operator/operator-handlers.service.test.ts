import { randomUUID } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { createRingRecipient } from "@holdfast/sealing";
import {
  createTestDatabase,
  eventually,
  plantSettlementAccount,
  TEST_ACCOUNT_ID,
  type TestDatabase,
} from "@holdfast/tests/support";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SettlementDatabase } from "../database.ts";
import { operatorHandlers } from "./operator-handlers.ts";

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.urls.settlement.owner, max: 4 });
  await plantSettlementAccount((text, values) => pool.query(text, values));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const fileKeys = { activeId: "k1", keys: new Map([["k1", Buffer.alloc(32, 1)]]) };
const UNUSED = {
  twoAbove: new Map(),
  mappings: new Map(),
  fileKeys,
  recipient: createRingRecipient(fileKeys),
  bytesMax: 0n,
  events: { fileTaken: () => {}, fileRefused: () => {} },
};

test("two looks at a file that come together compare it once", async () => {
  const importId = randomUUID();
  await pool.query(
    `insert into import (import_id, account_id, mapping, file_name, imported_by, sha256, state)
     values ($1, '${TEST_ACCOUNT_ID}', 'generic', 'bank.csv', 'olga', sha256(''), 'PROPOSED')`,
    [importId],
  );
  const statements: string[] = [];
  const db = new Kysely<SettlementDatabase>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void statements.push(query.sql),
  });
  const ended = (part: string) => statements.filter((text) => text.includes(part)).length;
  const look = operatorHandlers({ db, ...UNUSED }).find(
    ({ command }) => command === operations.getSettlement.command,
  )!;
  const asked = { context: {}, traceparent: undefined, payload: { importId } } as never;
  // The comparison begins with a lock on the file, and does not end before this one does.
  const holder = await pool.connect();
  await holder.query("begin");
  await holder.query("select from import where import_id = $1 for update", [importId]);
  const looks = Promise.all([look.handle(asked), look.handle(asked)]);
  try {
    // The last statement before the comparison.
    await eventually(() => expect(ended("group by kind, currency")).toBe(2));
  } finally {
    await holder.query("rollback");
    holder.release();
  }
  const [one, other] = await looks;
  expect(one).toMatchObject({ outcome: "done", result: { importId, state: "PROPOSED" } });
  expect(other).toEqual(one);
  expect(ended("for no key update")).toBe(1);
});
