import { createDatabase } from "@holdfast/postgres";
import { expect, test } from "vitest";
import { startDeliveryTables } from "../../test/delivery-tables.ts";
import { insertWaiting } from "../../test/waiting-deliveries.ts";
import type { WebhooksDatabase } from "../database.ts";
import { keepHealth } from "./keep-health.ts";
import { QUEUED_MAX } from "./queue-waiting.ts";

test("of endpoints that are back at once, the one with the most that waits leaves the others theirs", async () => {
  const { superuser, pool } = await startDeliveryTables();
  const [many] = await insertWaiting(superuser, { merchants: 1, each: QUEUED_MAX + 1, dueInSeconds: 3_600 });
  const [few] = await insertWaiting(superuser, { merchants: 1, each: 2, dueInSeconds: 3_600 });
  await superuser.query(
    `insert into webhooks.endpoint_health (endpoint_id, failing_since, breaker_open, reported_at)
     select endpoint_id, now() - interval '10 minutes', true, now() from webhooks.endpoint`,
  );
  let nudges = 0;
  const keep = keepHealth({ pool, db: createDatabase<WebhooksDatabase>(pool), nudge: () => void nudges++ });
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
