import { randomUUID, randomUUIDv7 } from "node:crypto";
import { executeBatch, measurePlan } from "@holdfast/tests/support";
import type { PoolClient } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { ACCEPT, GIVEN_COLUMNS } from "../src/accept/accept-statements.ts";
import { RECORD, RECORD_COLUMNS } from "../src/delivery/record-statements.ts";
import { startDeliveryTables } from "./delivery-tables.ts";
import { insertWaiting } from "./waiting-deliveries.ts";

const WINDOW_MS = 172_800_000;
const FEW = 20;
const MANY = 4 * FEW;
/** Linear work grows by four; where each row of a batch is compared with each it grows by sixteen. */
const GROWS_LESS_THAN = 6;

/** A connection that has planned both statements on empty tables, as in a new installation, and keeps the plans. */
async function startPlanned() {
  const { superuser, pool } = await startDeliveryTables();
  const client = await pool.connect();
  onTestFinished(() => client.release());
  await client.query("set plan_cache_mode = force_generic_plan");
  await client.query(`prepare accept as ${ACCEPT.text}`);
  await client.query(`prepare record as ${RECORD.text}`);
  await acceptedRows(client, []);
  await recordedRows(client, []);
  return { superuser, client };
}

async function acceptedRows(client: PoolClient, merchants: string[]): Promise<number> {
  const rows = merchants.map((merchant_id, index) => ({
    event_id: randomUUIDv7(),
    source: "payments",
    event_type: "payment.status_changed",
    merchant_id,
    payment_id: randomUUID(),
    status: "SUCCESS",
    body: Buffer.from("{}"),
    lease: index % 2 === 0,
  }));
  const text = executeBatch("accept", { before: [30_000, WINDOW_MS, 0], columns: GIVEN_COLUMNS, rows });
  return (await measurePlan(client, { text })).rows;
}

type Waiting = { delivery_id: string; event_id: string; occurred_at: Date; endpoint_id: string };

async function recordedRows(
  client: PoolClient,
  deliveries: Waiting[],
  trigger = "schedule",
): Promise<number> {
  const rows = deliveries.map((delivery) => ({
    ...delivery,
    // A resend by hand has a delivery of its own, other than the schedule's.
    ...(trigger === "manual" && { delivery_id: randomUUID() }),
    attempt_id: randomUUIDv7(),
    lease_token: randomUUID(),
    trigger,
    number: trigger === "schedule" ? 1 : null,
    planned_at: new Date(),
    sent_at: new Date(),
    request_time: Date.now(),
    succeeded: true,
    status_code: 200,
    duration_ms: 5,
    body_hash: Buffer.alloc(32),
    secret_version: 1,
  }));
  return (await measurePlan(client, { text: executeBatch("record", { columns: RECORD_COLUMNS, rows }) }))
    .rows;
}

test("accepting a batch of events compares no event with each of the others", async () => {
  const { superuser, client } = await startPlanned();
  const merchants = await insertWaiting(superuser, { merchants: MANY, each: 1, dueInSeconds: -60 });
  const few = await acceptedRows(client, merchants.slice(0, FEW));
  expect(few).toBeGreaterThan(FEW);
  expect(await acceptedRows(client, merchants)).toBeLessThan(GROWS_LESS_THAN * few);
});

test.each(["schedule", "manual"])(
  "recording a batch of results (%s) compares no result with each of the others, nor with what waits",
  async (trigger) => {
    const { superuser, client } = await startPlanned();
    await insertWaiting(superuser, { merchants: 10, each: 100, dueInSeconds: -60 });
    const { rows: deliveries } = await superuser.query<Waiting>(
      "select delivery_id, event_id, occurred_at, endpoint_id from webhooks.delivery limit $1",
      [MANY],
    );
    const few = await recordedRows(client, deliveries.slice(0, FEW), trigger);
    expect(few).toBeGreaterThan(FEW);
    expect(few).toBeLessThan(50 * FEW);
    expect(await recordedRows(client, deliveries, trigger)).toBeLessThan(GROWS_LESS_THAN * few);
  },
);
