import { randomBytes, randomUUID } from "node:crypto";
import { createDatabase } from "@holdfast/postgres";
import { createTestDatabase, eventually, plantAccount, TEST_ACCOUNT_ID } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { PaymentsDatabase } from "../../database.ts";
import { createReadAccounts } from "./current-accounts.ts";

/** A reader whose statements are counted. The given ones have no result before the test releases them. */
async function setUp(...nths: number[]) {
  const database = await createTestDatabase();
  const superuser = new Pool({ connectionString: database.superuserUrl });
  const pool = new Pool({ connectionString: database.urls.payments.app });
  onTestFinished(async () => {
    await Promise.all([superuser.end(), pool.end()]);
    await database.drop();
  });
  const env = { ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` };
  await plantAccount((text, values) => superuser.query(text, values), env, { url: "http://127.0.0.1:1" });
  const held = new Map(nths.map((nth) => [nth, Promise.withResolvers<void>()]));
  const seen = { statements: 0 };
  const db = createDatabase<PaymentsDatabase>(pool).withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await held.get(++seen.statements)?.promise;
      return result;
    },
  });
  const merchantId = randomUUID();
  const readAccounts = createReadAccounts();
  return {
    merchantId,
    seen,
    held,
    read: () => readAccounts(db),
    confirm: (version: number, routes: object[]) =>
      superuser.query(
        `insert into payments.merchant_route (merchant_id, version, routes, proposed_by, confirmed_by, confirmed_at)
         values ($1, $2, $3, 'a test', 'a test', now())`,
        [merchantId, version, JSON.stringify(routes)],
      ),
  };
}

test("while no route is confirmed, accounts are read by one statement, and a confirmed one is read at once", async () => {
  const { read, confirm, merchantId, seen } = await setUp();
  expect((await read()).routes).toEqual(new Map());
  seen.statements = 0;
  const { accounts } = await read();
  expect([...accounts.keys()]).toEqual([TEST_ACCOUNT_ID]);
  expect(seen.statements).toBe(1);
  await confirm(1, [{ accountId: TEST_ACCOUNT_ID }]);
  expect((await read()).routes.get(merchantId)).toEqual([{ accountId: TEST_ACCOUNT_ID }]);
  await confirm(2, []);
  expect((await read()).routes.get(merchantId)).toEqual([]);
});

test("a read that began before a route was confirmed takes it from no read that began afterwards", async () => {
  // The routes of the first read, and the accounts that the second one reads after its routes.
  const { read, confirm, merchantId, seen, held } = await setUp(2, 5);
  const old = read();
  await eventually(() => seen.statements === 2);
  await confirm(1, [{ accountId: TEST_ACCOUNT_ID }]);
  const young = read();
  await eventually(() => seen.statements === 5);
  held.get(2)!.resolve();
  expect((await old).routes).toEqual(new Map());
  held.get(5)!.resolve();
  expect((await young).routes.get(merchantId)).toEqual([{ accountId: TEST_ACCOUNT_ID }]);
  expect((await read()).routes.get(merchantId)).toEqual([{ accountId: TEST_ACCOUNT_ID }]);
});
