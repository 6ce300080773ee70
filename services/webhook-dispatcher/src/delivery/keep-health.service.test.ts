import { createDatabase } from "@holdfast/postgres";
import { expect, test } from "vitest";
import { startDeliveryTables } from "../../test/delivery-tables.ts";
import { insertWaiting } from "../../test/waiting-deliveries.ts";
import type { WebhooksDatabase } from "../database.ts";
import { claimDeliveries, releaseLeases } from "./claim-deliveries.ts";
import { keepHealth } from "./keep-health.ts";
import { QUEUED_MAX, queueWaiting } from "./queue-waiting.ts";
import { reapDeliveries } from "./reap-deliveries.ts";

test("of endpoints that are back at once, the one with the most that waits leaves the others theirs", async () => {
  const { superuser, pool } = await startDeliveryTables();
  const [many] = await insertWaiting(superuser, { merchants: 1, each: QUEUED_MAX + 1, dueInSeconds: 3_600 });
  const [few] = await insertWaiting(superuser, { merchants: 1, each: 2, dueInSeconds: 3_600 });
  await superuser.query(
    `insert into webhooks.endpoint_health (endpoint_id, failing_since, breaker_open, reported_at)
     select endpoint_id, now() - interval '10 minutes', true, now() from webhooks.endpoint`,
  );
  let nudges = 0;
  const keep = keepHealth({
    pool,
    db: createDatabase<WebhooksDatabase>(pool),
    clock: { shiftMs: 0 },
    nudge: () => void nudges++,
  });
  const back = { lastSuccessAt: new Date(), breakerOpen: false };
  await keep(new Map([many!, few!].map((endpointId) => [endpointId, back])));
  const { rows } = await superuser.query(
    `select endpoint_id, count(*)::int as queued from webhooks.delivery where trigger = 'manual' group by 1`,
  );
  expect(Object.fromEntries(rows.map(({ endpoint_id, queued }) => [endpoint_id, queued]))).toEqual({
    [many!]: QUEUED_MAX,
    [few!]: 2,
  });
  expect(nudges).toBe(2);
});

test("what is sent beside the schedule is neither chosen nor kept once its event's time is over", async () => {
  const { superuser, pool } = await startDeliveryTables();
  const [merchantId] = await insertWaiting(superuser, { merchants: 1, each: 2, dueInSeconds: 3_600 });
  const db = createDatabase<WebhooksDatabase>(pool);
  expect(await queueWaiting(db, [merchantId!], 0)).toBe(2);
  const extras = async () => {
    const { rows } = await superuser.query<{ waits: boolean }>(
      "select deadline_at > now() as waits from webhooks.delivery where trigger = 'manual' order by delivery_id",
    );
    return rows.map(({ waits }) => waits);
  };
  expect(await extras()).toEqual([true, true]);
  await superuser.query(
    `update webhooks.delivery set deadline_at = now() - interval '1 second'
     where event_id = (select min(event_id::text)::uuid from webhooks.delivery)`,
  );
  const claim = { limit: 10, leaseMs: 1, shiftMs: 0, after: undefined, rooms: [] };
  const { deliveries } = await claimDeliveries(pool, claim);
  expect(deliveries).toHaveLength(1);
  await releaseLeases(pool, deliveries);
  await reapDeliveries(db, { shiftMs: 0, databaseNow: Date.now }, 90);
  expect(await extras()).toEqual([true]);
});
