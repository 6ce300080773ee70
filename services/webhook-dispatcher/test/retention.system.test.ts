import { randomUUID } from "node:crypto";
import { findMissingEvents } from "@holdfast/contracts";
import { request } from "@holdfast/messaging";
import { NotComparableError, reconcileSince } from "@holdfast/outbox";
import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { BusinessEvents } from "../src/business-events.ts";
import type { WebhooksDatabase } from "../src/database.ts";
import { maintainPartitions } from "../src/maintain-partitions.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent, uuidAt, type TestEvent } from "./events.ts";

const DAY = 86_400_000;
const daysAgo = (days: number) => Date.now() - days * DAY;

let harness: DispatcherHarness;
beforeEach(async () => {
  harness = await startDispatcherHarness({}, { start: false });
});
afterEach(() => harness.close());

function poolOf(url: string): Pool {
  const pool = createPool({
    url,
    connectionsMax: 2,
    applicationName: "test",
    log: createLogger("test", "silent"),
  });
  onTestFinished(() => pool.end());
  return pool;
}

/** One run of retention. @returns how many deliveries without an event it ended. */
async function applyRetention(): Promise<number> {
  let orphans = 0;
  const events: Partial<BusinessEvents> = {
    orphansEnded: (count) => void (orphans += count),
    defaultPartitionUsed: () => {},
  };
  const db = createDatabase<WebhooksDatabase>(poolOf(harness.database.urls.webhooks.app));
  await maintainPartitions(db, { eventDays: 90, attemptDays: 30, events: events as BusinessEvents });
  return orphans;
}

/** The partitions of a day before the installation. */
async function makeDay(time: number): Promise<{ exist: () => Promise<boolean[]> }> {
  const from = new Date(Math.floor(time / DAY) * DAY);
  const to = new Date(from.getTime() + DAY);
  const names = ["event", "outcome"].map(
    (parent) => `webhooks.${parent}_${from.toISOString().slice(0, 10).replaceAll("-", "")}`,
  );
  for (const name of names) {
    // The service's function drops what its owner has made.
    await harness.query(
      `create table ${name} partition of ${name.slice(0, -9)}
         for values from ('${from.toISOString()}') to ('${to.toISOString()}');
       alter table ${name} owner to webhooks_owner`,
    );
  }
  const exists = async (name: string) => {
    const [row] = await harness.query<{ found: boolean }>("select to_regclass($1) is not null as found", [
      name,
    ]);
    return row!.found;
  };
  return { exist: () => Promise.all(names.map(exists)) };
}

async function insertEvent({ eventId, merchantId, paymentId, body }: TestEvent): Promise<void> {
  await harness.query(
    `insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
     values (uuid_extract_timestamp($1::uuid), $1, 'payments', 'payment.status_changed', $2, $3, 'SUCCESS', $4)`,
    [eventId, merchantId, paymentId, body],
  );
}

async function insertDelivery({ eventId, merchantId }: TestEvent, dueInSeconds = 0): Promise<void> {
  await harness.query(
    `insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
     values ($1, uuid_extract_timestamp($1::uuid), $2, now() + $3 * interval '1 second',
       uuid_extract_timestamp($1::uuid) + interval '48 hours')`,
    [eventId, merchantId, dueInSeconds],
  );
}

test("an event of before the days that are kept is confirmed and reported, and never sent", async () => {
  await harness.start();
  const { merchantId } = await harness.enable();
  const [old, recent] = [
    newEvent({ merchantId, at: daysAgo(100) }),
    newEvent({ merchantId, at: daysAgo(1) }),
  ];
  await harness.publish(old, recent);
  await eventually(() => expect(new Set(harness.confirmed)).toEqual(new Set([old.eventId, recent.eventId])));
  await eventually(async () => expect((await harness.delivery(recent.eventId)).status).toBe("delivered"));
  expect(harness.receiver.ledger.map(({ headers }) => headers["x-event-id"])).toEqual([recent.eventId]);
  expect(await harness.query("select 1 from webhooks.event where event_id = $1", [old.eventId])).toEqual([]);
  expect(harness.lines.filter(({ eventId }) => eventId === old.eventId)).toMatchObject([
    { level: "error", msg: "an event is older than those that are kept, and is not sent" },
  ]);
});

test("of the events that are not here, those that retention may have dropped are not missing", async () => {
  await harness.start();
  const { merchantId } = await harness.enable();
  const here = newEvent({ merchantId });
  await harness.publish(here);
  await eventually(() => expect(harness.confirmed).toContain(here.eventId));
  const [old, lost] = [uuidAt(daysAgo(100)), uuidAt(daysAgo(50))];
  const waitUntil = Date.now() + 100_000;
  const reply = await request(
    harness.bus,
    findMissingEvents,
    { requestId: "r", deadlineAt: waitUntil, service: { name: "payments" } },
    { eventIds: [old, lost, here.eventId] },
    { waitUntil, traceparent: "" },
  );
  expect(reply).toMatchObject({ outcome: "done", result: { missing: [lost] } });
  const keptSince = reply.outcome === "done" ? Date.parse(reply.result.keptSince) : 0;
  expect(Math.ceil((Date.now() - keptSince) / DAY)).toBe(90);
});

test("a comparison opens no event whose day was dropped, and nothing of it is sent again", async () => {
  const { merchantId } = await startAndEnable();
  const old = newEvent({ merchantId, at: daysAgo(100) });
  const day = await makeDay(daysAgo(100));
  await insertEvent(old);
  await harness.query(
    `insert into payments.outbox (event_id, event_type, payment_id, merchant_id, status, body, confirmed_at)
     values ($1, 'payment.status_changed', $2, $3, 'SUCCESS', $4, now() - interval '100 days')`,
    [old.eventId, old.paymentId, merchantId, old.body],
  );
  await applyRetention();
  expect(await day.exist()).toEqual([false, false]);

  const deps = {
    pool: poolOf(harness.database.urls.payments.app),
    bus: harness.bus,
    source: "payments" as const,
  };
  expect(await reconcileSince(deps, undefined)).toMatchObject({ compared: 0, missing: [] });
  await expect(reconcileSince(deps, new Date(daysAgo(101)))).rejects.toBeInstanceOf(NotComparableError);
  expect(await harness.query("select 1 from payments.outbox where confirmed_at is null")).toEqual([]);
  expect(harness.receiver.ledger).toEqual([]);
});

async function startAndEnable() {
  await harness.start();
  return await harness.enable();
}

test("a message that cannot be accepted is kept once, however often it comes, and is not confirmed", async () => {
  await harness.start();
  const event = newEvent({ at: daysAgo(2) });
  const poison = JSON.stringify({ ...event, status: "CAPTURED", body: event.body.toString("base64") });
  const changed = poison.replace("CAPTURED", "ENROLLED");
  const lines = () => harness.lines.filter(({ msg }) => String(msg).includes("poison"));
  await harness.publishRaw(poison);
  await eventually(() => expect(lines()).toHaveLength(1));
  const copies = [poison, changed, "no event", "no event", "nor this"];
  for (const message of copies) await harness.publishRaw(message);
  await eventually(() => expect(lines()).toHaveLength(1 + copies.length));
  const rows = await harness.query<{ data: Buffer }>("select data from webhooks.poison");
  expect(rows.map(({ data }) => data.toString()).toSorted()).toEqual(["no event", "nor this", poison]);
  expect(harness.confirmed).toEqual([]);
});

test("a message that cannot be accepted is published until it is too old, and then no more", async () => {
  await harness.start();
  const event = newEvent({ at: daysAgo(100) });
  await harness.publishRaw(JSON.stringify({ ...event, status: "CAPTURED", body: "" }));
  await eventually(() => expect(harness.confirmed).toEqual([event.eventId]));
  expect(await harness.query("select 1 from webhooks.poison")).toEqual([]);
  expect(harness.lines.filter(({ eventId }) => eventId === event.eventId)).toMatchObject([
    { level: "error" },
  ]);
});

test("a day with a delivery that is pending is kept until the delivery has ended, visibly", async () => {
  const first = await harness.start();
  const { merchantId } = await harness.enable();
  await first.stop();
  const event = newEvent({ merchantId, at: daysAgo(100) });
  const day = await makeDay(daysAgo(100));
  await insertEvent(event);
  await insertDelivery(event);
  const other = await makeDay(daysAgo(101));
  await applyRetention();
  expect(await day.exist()).toEqual([true, true]);
  expect(await other.exist()).toEqual([false, false]);

  harness.receiver.behave({ kind: "status", status: 500 });
  await harness.start();
  await eventually(() =>
    expect(harness.lines.filter(({ eventId }) => eventId === event.eventId)).toMatchObject([
      { level: "error", outcome: "status", msg: "webhook failed for good" },
    ]),
  );
  await eventually(async () => expect(await harness.query("select 1 from webhooks.delivery")).toEqual([]));
  expect(harness.receiver.ledger).toHaveLength(1);
  await applyRetention();
  expect(await day.exist()).toEqual([false, false]);
});

test("an event that is about to be sent again by hand is not dropped meanwhile", async () => {
  const dispatcher = await harness.start();
  const { merchantId } = await harness.enable();
  // The dispatcher maintains its partitions itself, and would drop this one before it is locked.
  await dispatcher.stop();
  const event = newEvent({ merchantId, at: daysAgo(100) });
  const day = await makeDay(daysAgo(100));
  await insertEvent(event);
  const resend = await poolOf(harness.database.urls.webhooks.app).connect();
  await resend.query("begin");
  await resend.query("select 1 from event where event_id = $1", [event.eventId]);
  const applying = applyRetention();
  await eventually(async () =>
    expect(
      await harness.query(
        "select 1 from pg_locks where not granted and relation = 'webhooks.event'::regclass",
      ),
    ).not.toEqual([]),
  );
  await resend.query(
    `insert into delivery (event_id, occurred_at, endpoint_id, trigger, due_at, deadline_at)
     values ($1, uuid_extract_timestamp($1::uuid), $2, 'manual', now() + interval '1 hour', now())`,
    [event.eventId, merchantId],
  );
  await resend.query("commit");
  resend.release();
  await applying;
  expect(await day.exist()).toEqual([true, true]);
});

test("deliveries that have lost their event block nobody and are ended", async () => {
  const first = await harness.start();
  const { merchantId } = await harness.enable();
  await first.stop();
  const orphans = Array.from({ length: 20 }, () => newEvent({ merchantId, at: daysAgo(100) }));
  for (const orphan of orphans) await insertDelivery(orphan, -3_600);
  await harness.start();
  const event = newEvent({ merchantId });
  await insertEvent(event);
  await insertDelivery(event);
  await eventually(async () => expect((await harness.delivery(event.eventId)).status).toBe("delivered"));
  await eventually(async () => expect(await harness.query("select 1 from webhooks.delivery")).toEqual([]));
});

test("rows that stand in no day of their own, and poison, go by the same age", async () => {
  const merchantId = randomUUID();
  await harness.query(
    "insert into webhooks.endpoint (endpoint_id, merchant_id, url, secret, secret_request_id) values ($1, $1, 'https://shop.example', decode('01026b31', 'hex'), 'r')",
    [merchantId],
  );
  const [old, pending, recent] = [100, 100, 50].map((days) => newEvent({ merchantId, at: daysAgo(days) }));
  for (const event of [old!, pending!, recent!]) {
    await insertEvent(event);
    await harness.query(
      "insert into webhooks.outcome (endpoint_id, occurred_at, event_id, outcome) values ($2, uuid_extract_timestamp($1::uuid), $1, 'failed')",
      [event.eventId, merchantId],
    );
  }
  await insertDelivery(pending!, 3_600);
  await harness.query(
    `insert into webhooks.poison (received_at, subject, sequence, reason, data, message_key)
     values (now() - interval '91 days', 's', 1, 'old', '', '1'), (now() - interval '1 day', 's', 2, 'recent', '', '2')`,
  );
  expect(await applyRetention()).toBe(0);
  for (const table of ["event", "outcome"]) {
    const rows = await harness.query<{ event_id: string }>(`select event_id from webhooks.${table}_default`);
    expect(new Set(rows.map(({ event_id }) => event_id))).toEqual(
      new Set([pending!.eventId, recent!.eventId]),
    );
  }
  expect(await harness.query("select reason from webhooks.poison")).toEqual([{ reason: "recent" }]);
});

test("hours go with the attempts that they count, however many there are", async () => {
  await harness.query(
    `insert into webhooks.endpoint_hour (endpoint_id, hour, result, duration_bucket, count)
     select gen_random_uuid(), date_trunc('hour', now() - interval '32 days'), 'answered', 1, 1
     from generate_series(1, 25000)
     union all
     select gen_random_uuid(), date_trunc('hour', now() - interval '29 days'), 'answered', 2, 1`,
  );
  await applyRetention();
  expect(await harness.query("select duration_bucket from webhooks.endpoint_hour")).toEqual([
    { duration_bucket: 2 },
  ]);
});
