import { createDatabase } from "@holdfast/postgres";
import { expect, test } from "vitest";
import { startDeliveryTables } from "../../test/delivery-tables.ts";
import { insertWaiting } from "../../test/waiting-deliveries.ts";
import type { WebhooksDatabase } from "../database.ts";
import { reapDeliveries } from "./reap-deliveries.ts";

test("a round that finds nothing to end asks the database once", async () => {
  const { pool } = await startDeliveryTables();
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

test("what was leased beyond its deadline fails in the round that ends its lease", async () => {
  const { superuser, pool } = await startDeliveryTables();
  await insertWaiting(superuser, { merchants: 1, each: 1, dueInSeconds: -60 });
  await superuser.query(
    `update webhooks.delivery set attempt = 2, deadline_at = now() - interval '1 second',
       lease_token = gen_random_uuid(), lease_until = now() - interval '1 second'`,
  );
  const reaped = await reapDeliveries(
    createDatabase<WebhooksDatabase>(pool),
    { shiftMs: 0, databaseNow: Date.now },
    90,
  );
  expect(reaped).toEqual({ expiredLeases: 1, failed: 1, cancelled: 0, removed: 0 });
});
