import { createDatabase } from "@holdfast/postgres";
import { createTestDatabase } from "@holdfast/tests/support";
import { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { WebhooksDatabase } from "../database.ts";
import { reapDeliveries } from "./reap-deliveries.ts";

test("a round that finds nothing to end asks the database once", async () => {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.urls.webhooks.app });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  let statements = 0;
  const db = createDatabase<WebhooksDatabase>(pool).withPlugin({
    transformQuery: ({ node }) => node,
    transformResult({ result }) {
      statements++;
      return Promise.resolve(result);
    },
  });
  const reaped = await reapDeliveries(db, { shiftMs: 0, databaseNow: Date.now }, 90);
  expect(reaped).toEqual({ expiredLeases: 0, failed: 0, cancelled: 0, removed: 0 });
  expect(statements).toBe(1);
});
