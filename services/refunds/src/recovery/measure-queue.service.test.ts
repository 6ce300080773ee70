import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { createTestDatabase } from "@holdfast/tests/support";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { QueueMeasure } from "../business-events.ts";
import type { RefundsDatabase } from "../database.ts";
import { measureQueue } from "./measure-queue.ts";

test("refunds are counted by what they wait for: a decision, the bank, its day's end, or payments", async () => {
  const database = await createTestDatabase();
  const pool = createPool({
    // The service itself inserts no refund in another state than the first.
    url: database.urls.refunds.owner,
    connectionsMax: 2,
    applicationName: "measure",
    log: createLogger("refunds", "fatal"),
  });
  const db = createDatabase<RefundsDatabase>(pool);
  const measures: QueueMeasure[] = [];
  const measure = () =>
    measureQueue({ db, events: { queueMeasured: (measured) => measures.push(measured) } });
  const none = { count: 0, oldestSeconds: 0 };
  expect(await measure()).toEqual({ approval: none, bank: none, day_end: none, payments: none });
  const states: [string, number][] = [
    ["RESERVING", 9_000],
    ["PENDING_APPROVAL", 100],
    ["PENDING_APPROVAL", 200],
    ["EXECUTING", 300],
    ["SETTLING", 400],
    ["FAILING", 600],
    ["REJECTING", 500],
    ["SUCCESS", 9_000],
    ["FAILED", 9_000],
    ["REJECTED", 9_000],
  ];
  for (const [state, seconds] of states) {
    await sql`
      insert into refund (refund_id, payment_id, merchant_id, state, version, amount_minor, currency, currency_exponent,
        kind, order_id, installment_count, card_holder_name, masked_pan, account_id, recover_at, state_since)
      values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), ${state}, 1, 100, 'TRY', 2,
        'refund', 'order', 1, 'Ada Lovelace', '411111******1111', gen_random_uuid(),
        case when ${state} in ('RESERVING', 'EXECUTING', 'SETTLING', 'FAILING', 'REJECTING') then now() end,
        now() - ${seconds} * interval '1 second')`.execute(db);
  }
  await sql`update refund set last_inquiry = 'day_not_ended' where state = 'EXECUTING'`.execute(db);
  expect(await measure()).toMatchObject({ bank: { count: 1 }, day_end: none });
  await sql`update refund set recover_at = now() + interval '1 hour' where state = 'EXECUTING'`.execute(db);
  const waiting = await measure();
  expect(waiting).toMatchObject({ bank: none, day_end: { count: 1 } });
  expect(Math.floor(waiting.day_end.oldestSeconds / 100)).toBe(3);
  await sql`update refund set last_inquiry = 'limit' where state = 'EXECUTING'`.execute(db);
  const measured = await measure();
  expect(measured).toMatchObject({ approval: { count: 2 }, bank: { count: 1 }, payments: { count: 3 } });
  const ages = Object.values(measured).map(({ oldestSeconds }) => Math.floor(oldestSeconds / 100));
  expect(ages).toEqual([2, 3, 0, 6]);
  expect(measures.at(-1)).toEqual(measured);
  await pool.end();
  await database.drop();
});
