import { createDatabase } from "@holdfast/postgres";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OutboxTable } from "./outbox-table.ts";
import { purgeOutbox } from "./purge-outbox.ts";

const DAY_MS = 86_400_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each(["payments", "refunds", "settlement"] as const)(
  "%s deletes what is confirmed and old, and keeps what is open or young",
  async (schema) => {
    const asSuperuser = <Row>(sql: string) =>
      withClient(database.superuserUrl, async (client) => (await client.query(sql)).rows as Row[]);
    const record = (status: string, age: string, confirmed: string, count: number) =>
      asSuperuser(`insert into ${schema}.outbox (event_id, event_type, payment_id, merchant_id, status, body, confirmed_at)
        select uuidv7(-interval '${age}'), 'payment.status_changed', gen_random_uuid(), gen_random_uuid(), '${status}', '', ${confirmed}
        from generate_series(1, ${count})`);
    await record("old and open", "40 days", "null", 3);
    await record("old", "31 days", "now()", 5);
    await record("young", "29 days", "now()", 2);

    const pool = new Pool({ connectionString: database.urls[schema].app, max: 2 });
    const db = createDatabase<{ outbox: OutboxTable }>(pool);
    const purge = () => purgeOutbox(db, { olderThanMs: 30 * DAY_MS, rowsMax: 2 });
    try {
      // Two processes at the same time delete each row once.
      const [one, other] = await Promise.all([purge(), purge()]);
      expect(one + other + (await purge())).toBe(5);
      expect(await purge()).toBe(0);
    } finally {
      await pool.end();
    }
    const kept = await asSuperuser<{ status: string; count: number }>(
      `select status, count(*)::int as count from ${schema}.outbox group by status order by status`,
    );
    expect(kept).toEqual([
      { status: "old and open", count: 3 },
      { status: "young", count: 2 },
    ]);
  },
);
