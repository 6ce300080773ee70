import { randomUUID } from "node:crypto";
import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { createTestDatabase, type TestDatabase } from "@holdfast/tests/support";
import { sql, type Kysely } from "kysely";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RefundsDatabase } from "../database.ts";
import { bringInquiryForward, leaseDue, postpone } from "./refund-queries.ts";

/** The effect of a bank's notification on a refund whose next inquiry is far away. */
const DAY_MS = 86_400_000;

let database: TestDatabase;
let pool: Pool;
let db: Kysely<RefundsDatabase>;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({
    // The service itself inserts no refund in another state than the first.
    url: database.urls.refunds.owner,
    connectionsMax: 2,
    applicationName: "notified",
    log: createLogger("refunds", "fatal"),
  });
  db = createDatabase<RefundsDatabase>(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A refund that the bank is asked about in a day. @param idleMs how long ago it was asked. */
async function refund(state = "EXECUTING", idleMs = 60_000): Promise<string> {
  const refundId = randomUUID();
  const isUnderWay = state !== "SUCCESS";
  await sql`
    insert into refund (refund_id, payment_id, merchant_id, state, version, amount_minor, currency, currency_exponent,
      kind, order_id, installment_count, card_holder_name, masked_pan, account_id, recover_at, updated_at)
    values (${refundId}, gen_random_uuid(), gen_random_uuid(), ${state}, 1, 100, 'TRY', 2,
      'refund', 'order', 1, 'Ada Lovelace', '411111******1111', gen_random_uuid(),
      case when ${isUnderWay} then now() + interval '1 day' end,
      now() - ${idleMs} * interval '1 millisecond')`.execute(db);
  return refundId;
}

/** The seconds until the bank is asked; undefined if it is not. */
async function dueIn(refundId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom("refund")
    .select(sql<number | null>`extract(epoch from recover_at - now())::float8`.as("due_in"))
    .where("refund_id", "=", refundId)
    .executeTakeFirstOrThrow();
  return row.due_in ?? undefined;
}

/** A process works on it. */
async function lease(refundId: string) {
  const [leased] = await leaseDue(db, { leaseMs: DAY_MS, refundId });
  return leased!;
}

test("has the bank asked now", async () => {
  const refundId = await refund();
  await bringInquiryForward(db, refundId);
  expect(await dueIn(refundId)).toBeLessThanOrEqual(0);
});

test("however many come, not within five seconds of the inquiry before", async () => {
  // The last inquiry lies a minute ahead: however slow the machine is, that is not five seconds ago.
  const refundId = await refund("EXECUTING", -60_000);
  await Promise.all(Array.from({ length: 20 }, () => bringInquiryForward(db, refundId)));
  expect(await dueIn(refundId)).toBeGreaterThan(5);
  expect(await dueIn(refundId)).toBeLessThanOrEqual(65);
});

test("while a process works on the refund, takes nothing from it and brings the inquiry after its own forward", async () => {
  const refundId = await refund();
  const leased = await lease(refundId);
  await bringInquiryForward(db, refundId);
  expect(await dueIn(refundId)).toBeGreaterThan(3_600);
  await postpone(db, leased, { inMs: DAY_MS, cause: "pending" });
  expect(await dueIn(refundId)).toBeLessThanOrEqual(5);

  // A notification is known to the inquiry that begins now.
  await postpone(db, await lease(refundId), { inMs: DAY_MS, cause: "pending" });
  expect(await dueIn(refundId)).toBeGreaterThan(3_600);
});

test("never puts an inquiry off", async () => {
  const refundId = await refund();
  const leased = await lease(refundId);
  await bringInquiryForward(db, refundId);
  await postpone(db, leased, { inMs: 0, cause: "pending" });
  expect(await dueIn(refundId)).toBeLessThanOrEqual(0);
});

test("of one that is with the bank no more changes nothing", async () => {
  const [settling, paid] = [await refund("SETTLING"), await refund("SUCCESS")];
  for (const refundId of [settling, paid]) await bringInquiryForward(db, refundId);
  expect(await dueIn(settling)).toBeGreaterThan(3_600);
  expect(await dueIn(paid)).toBeUndefined();
});
