import { randomUUIDv7 } from "node:crypto";
import { EVENT_STREAM, operations, WEBHOOK_CONSUMER } from "@holdfast/contracts";
import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger } from "@holdfast/service-runtime";
import { eventually } from "@holdfast/tests/support";
import { jetstreamManager } from "@nats-io/jetstream";
import { Client, type Pool } from "pg";
import { afterEach, expect, test } from "vitest";
import { createClock } from "../src/clock.ts";
import { claimDeliveries } from "../src/delivery/claim-deliveries.ts";
import { leasesOf, newLeaseHolder } from "../src/delivery/lease-holder.ts";
import { recordResults } from "../src/delivery/record-results.ts";
import type { AttemptRecord } from "../src/delivery/record-statements.ts";
import { maintainPartitions } from "../src/maintain-partitions.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent, uuidAt } from "./events.ts";

let harness: DispatcherHarness;
const pools: Pool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await harness.close();
});

const delivered = (eventId: string) =>
  eventually(async () => expect((await harness.delivery(eventId)).status).toBe("delivered"));

function poolOf(url = harness.database.urls.webhooks.app): Pool {
  const pool = createPool({
    url,
    connectionsMax: 2,
    applicationName: "test",
    log: createLogger("test", "silent"),
    settings: leasesOf(newLeaseHolder()),
  });
  pools.push(pool);
  return pool;
}

test("JetStream's data deleted mid-run: stream and consumer are made anew and events go on", async () => {
  harness = await startDispatcherHarness();
  const { merchantId } = await harness.enable();
  const [before, after] = [newEvent({ merchantId }), newEvent({ merchantId })];
  await harness.publish(before);
  await delivered(before.eventId);
  await (await jetstreamManager(harness.bus.nats)).streams.delete(EVENT_STREAM.name);
  // The owner publishes the unconfirmed event again, and a new one.
  await harness.publish(before, after);
  await delivered(after.eventId);
  expect(harness.receiver.ledger).toHaveLength(2);
});

test("a consumer with foreign settings ends the dispatcher, and the log says how it differs", async () => {
  harness = await startDispatcherHarness({}, { start: false });
  const { consumers } = await jetstreamManager(harness.bus.nats);
  await consumers.update(EVENT_STREAM.name, WEBHOOK_CONSUMER, { max_deliver: 3, headers_only: true });
  // The process may end before it has started, and then there is only its log.
  const last = await harness.spawn("webhook-dispatcher").then(
    async (dispatcher) => {
      expect(await dispatcher.exited).toMatchObject({ code: 1 });
      return dispatcher.logTail();
    },
    (error: Error) => error.message,
  );
  expect(last).toContain("headers_only is true, not undefined; max_deliver is 3, not -1");
  expect(last).toContain("run the installation again");
});

test("nats-server killed mid-run: what was published is delivered, and what comes after its restart", async () => {
  harness = await startDispatcherHarness();
  const { merchantId } = await harness.enable();
  const [before, after] = [newEvent({ merchantId }), newEvent({ merchantId })];
  await harness.publish(before);
  await harness.nats.kill();
  await harness.nats.restart();
  await harness.bus.connection();
  await harness.publish(before, after);
  await delivered(before.eventId);
  await delivered(after.eventId);
  // A confirmation that was lost on the way is repeated when the owner publishes its event again.
  await eventually(async () => {
    await harness.publish(before, after);
    expect(new Set(harness.confirmed)).toEqual(new Set([before.eventId, after.eventId]));
  });
});

test("the database away: nothing is acknowledged or lost, the process lives, and afterwards everything is delivered", async () => {
  harness = await startDispatcherHarness();
  const { merchantId } = await harness.enable();
  const { name } = harness.database;
  // A database cannot be closed over its own connection.
  const url = new URL(harness.database.superuserUrl);
  url.pathname = "/postgres";
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  const cutOff = async () => {
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = 'webhooks_app'",
      [name],
    );
  };
  await cutOff();
  const events = [newEvent({ merchantId }), newEvent({ merchantId })];
  await harness.publish(...events);
  await eventually(() => expect(harness.lines.some(({ operation }) => operation === "accept")).toBe(true));
  expect(harness.confirmed).toEqual([]);
  const { consumers } = await jetstreamManager(harness.bus.nats);
  const unacknowledged = async () =>
    (await consumers.info(EVENT_STREAM.name, WEBHOOK_CONSUMER)).num_ack_pending;
  expect(await unacknowledged()).toBe(2);
  await admin.query(`alter database ${name} allow_connections true`);
  for (const { eventId } of events) await delivered(eventId);
  await eventually(async () => expect(await unacknowledged()).toBe(0));
  await admin.end();
});

test("two dispatchers share the work: each event is sent once", async () => {
  harness = await startDispatcherHarness();
  await harness.start();
  const merchants = await Promise.all(Array.from({ length: 4 }, () => harness.enable()));
  const events = Array.from({ length: 200 }, (_, index) =>
    newEvent({ merchantId: merchants[index % 4]!.merchantId }),
  );
  await harness.publish(...events);
  await eventually(async () => {
    const [row] = await harness.query(
      "select count(*)::int as count from webhooks.outcome where outcome = 'delivered'",
    );
    expect(row).toEqual({ count: 200 });
  });
  const [failures] = await harness.query<{ count: number }>(
    "select count(*)::int as count from webhooks.attempt where not succeeded",
  );
  expect(harness.receiver.ledger.length).toBeLessThanOrEqual(200 + failures!.count);
  expect(new Set(harness.receiver.ledger.map(({ headers }) => headers["x-event-id"])).size).toBe(200);
});

test("with 20 000 pending for a dead merchant another's first webhook goes out at once", async () => {
  harness = await startDispatcherHarness({ WEBHOOK_ATTEMPT_TIMEOUT: "3s" });
  const dead = await harness.startReceiver();
  dead.behave({ kind: "hang" });
  const deaf = await harness.enable(dead.url);
  await harness.query(
    `with made as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       select uuid_extract_timestamp(id), id, 'payments', 'payment.status_changed', $1, gen_random_uuid(), 'SUCCESS', '{}'
       from (select uuidv7(interval '-1 minute') as id from generate_series(1, 20000)) as ids
       returning occurred_at, event_id)
     insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
     select event_id, occurred_at, $1, occurred_at, occurred_at + interval '48 hours' from made`,
    [deaf.merchantId],
  );
  await eventually(() => expect(dead.underway()).toBeGreaterThan(0));
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await delivered(event.eventId);
  // Hardly any of the deliveries that were there before it have had their turn.
  const { arrivedAt } = harness.receiver.ledger[0]!;
  expect(dead.ledger.filter((one) => one.arrivedAt < arrivedAt).length).toBeLessThan(100);
  // After its time-out the endpoint gets one request at a time.
  await eventually(() => expect(dead.ledger.length).toBeGreaterThan(9));
  expect(dead.underway()).toBeLessThanOrEqual(1);
});

test("a claim gives each endpoint its share, whatever waits for one of them, and takes turns where there is too much", async () => {
  harness = await startDispatcherHarness({}, { start: false });
  const starting = await harness.start();
  // The table has its rows in the order of their insertion, and endpoints take turns in that of their ids.
  const merchants: { merchantId: string }[] = [];
  const ids = Array.from({ length: 5 }, () => randomUUIDv7());
  for (const id of ids.sort().toReversed()) merchants.push(await harness.enable(undefined, id));
  await starting.stop();
  const pool = poolOf(harness.database.urls.webhooks.owner);
  for (const [index, { merchantId }] of merchants.entries()) {
    await pool.query(
      `with made as (
         insert into event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
         select uuid_extract_timestamp(id), id, 'payments', 'payment.status_changed', $1, gen_random_uuid(), 'SUCCESS', '{}'
         from (select uuidv7() as id from generate_series(1, $2)) as ids returning occurred_at, event_id)
       insert into delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
       select event_id, occurred_at, $1, now(), now() + interval '1 hour' from made`,
      [merchantId, index === 0 ? 1_000 : 3],
    );
  }
  const request = {
    limit: 100,
    rooms: [{ endpointId: merchants[1]!.merchantId, room: 1 }],
    leaseMs: 30_000,
    shiftMs: 0,
    after: undefined,
  };
  const { deliveries } = await claimDeliveries(pool, request);
  const counts = merchants.map(
    ({ merchantId }) => deliveries.filter((delivery) => delivery.merchantId === merchantId).length,
  );
  expect(counts).toEqual([8, 1, 3, 3, 3]);

  // 10 are left and a claim returns 2: an endpoint that had its turn comes last.
  const rooms = [
    { endpointId: merchants[0]!.merchantId, room: 2 },
    { endpointId: merchants[1]!.merchantId, room: 2 },
  ];
  const first = await claimDeliveries(pool, { ...request, rooms, limit: 2 });
  const second = await claimDeliveries(pool, { ...request, rooms, limit: 2, after: first.after });
  expect(second.deliveries).not.toEqual([]);
  expect(first.deliveries[0]!.merchantId).not.toBe(second.deliveries[0]!.merchantId);
});

test("a failure counts only under its lease; a success always does", async () => {
  harness = await startDispatcherHarness({ WEBHOOK_CLAIM_INTERVAL: "10m" });
  harness.receiver.behave({ kind: "hang" });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  const [row] = await eventually(async () => {
    const rows = await harness.query<{ delivery_id: string; occurred_at: Date }>(
      "select * from webhooks.delivery where lease_token is not null",
    );
    expect(rows).toHaveLength(1);
    return rows;
  });
  const record: AttemptRecord = {
    attempt_id: uuidAt(Date.now()),
    delivery_id: row!.delivery_id,
    lease_token: uuidAt(0),
    endpoint_id: merchantId,
    event_id: event.eventId,
    occurred_at: row!.occurred_at,
    trigger: "schedule",
    number: 1,
    planned_at: new Date(),
    sent_at: new Date(),
    request_time: "1",
    succeeded: false,
    status_code: 500,
    error: "status",
    duration_ms: 1,
    remote_address: null,
    snippet: null,
    body_hash: Buffer.alloc(32),
    secret_version: 1,
    next_version: null,
    retry_at: new Date(Date.now() + 60_000),
  };
  const pool = poolOf();
  const state = async () =>
    (await harness.query("select attempt, lease_token is not null as leased from webhooks.delivery"))[0];
  await recordResults(pool, [record]);
  expect(await state()).toEqual({ attempt: 1, leased: true });
  await recordResults(pool, [{ ...record, attempt_id: uuidAt(Date.now()), retry_at: null }]);
  expect(await state()).toEqual({ attempt: 1, leased: true });
  expect((await harness.delivery(event.eventId)).status).toBe("pending");
  const success = {
    ...record,
    attempt_id: uuidAt(Date.now()),
    succeeded: true,
    status_code: 200,
    error: null,
    retry_at: null,
  };
  // The result is recorded twice, as after a lost answer of the database.
  await recordResults(pool, [success]);
  await recordResults(pool, [success]);
  expect(await state()).toBeUndefined();
  expect(await harness.delivery(event.eventId)).toMatchObject({ status: "delivered", attemptCount: 3 });
});

test("a lease whose holder has vanished is taken back, and the same attempt is made again", async () => {
  harness = await startDispatcherHarness({ WEBHOOK_LEASE: "10s" });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.query(
    `insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
     values (uuid_extract_timestamp($1::uuid), $1, 'payments', 'payment.status_changed', $2, $3, 'SUCCESS', '{}')`,
    [event.eventId, merchantId, event.paymentId],
  );
  await harness.query(
    `insert into webhooks.delivery (event_id, occurred_at, endpoint_id, attempt, due_at, deadline_at, lease_token, lease_until)
     values ($1, uuid_extract_timestamp($1::uuid), $2, 3, now(), now() + interval '1 hour', gen_random_uuid(), now() + interval '300 ms')`,
    [event.eventId, merchantId],
  );
  await delivered(event.eventId);
  expect((await harness.delivery(event.eventId)).attempts).toMatchObject([{ number: 3 }]);
  expect(harness.lines.some(({ msg }) => String(msg).startsWith("leases expired"))).toBe(true);
});

test("however short a lease is asked for, an attempt is over before it", async () => {
  harness = await startDispatcherHarness({ WEBHOOK_LEASE: "1ms", WEBHOOK_REAP_INTERVAL: "20ms" });
  harness.receiver.behave({ kind: "late", status: 200, afterMs: 800 });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await delivered(event.eventId);
  expect(harness.receiver.ledger).toHaveLength(1);
  expect(harness.lines.filter(({ msg }) => String(msg).startsWith("leases expired"))).toEqual([]);
});

test("a stop lets go of what is not finished, and another dispatcher sends it at once", async () => {
  harness = await startDispatcherHarness({ DRAIN_TIMEOUT: "300ms" }, { start: false });
  const first = await harness.start();
  harness.receiver.behave({ kind: "hang" });
  const { merchantId } = await harness.enable();
  const events = Array.from({ length: 12 }, () => newEvent({ merchantId }));
  await harness.publish(...events);
  await eventually(() => expect(harness.receiver.underway()).toBe(8));
  await first.stop();
  expect(await harness.query("select 1 from webhooks.delivery where lease_token is not null")).toEqual([]);
  harness.receiver.behave({ kind: "status", status: 200 });
  await harness.start();
  for (const { eventId } of events) await delivered(eventId);
});

test("a stop waits for requests under way and writes down what came of them", async () => {
  harness = await startDispatcherHarness({ DRAIN_TIMEOUT: "5s" }, { start: false });
  const dispatcher = await harness.start();
  harness.receiver.behave({ kind: "late", status: 200, afterMs: 300 });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await eventually(() => expect(harness.receiver.underway()).toBe(1));
  await dispatcher.stop();
  expect(await harness.query("select outcome from webhooks.outcome")).toEqual([{ outcome: "delivered" }]);
});

test("more than two seconds off nothing is accepted, more than a minute off nothing is sent either", async () => {
  let behindMs = 0;
  const clock = createClock(undefined, () => Date.now() - behindMs);
  harness = await startDispatcherHarness({}, { overrides: { clock } });
  const { merchantId } = await harness.enable();
  const [early, late] = [newEvent({ merchantId }), newEvent({ merchantId })];
  harness.receiver.behave({ kind: "status", status: 500 });
  await harness.publish(early);
  await eventually(() => expect(harness.receiver.ledger.length).toBeGreaterThan(0));
  await harness.stopAll();
  harness.receiver.behave({ kind: "status", status: 200 });
  const sent = harness.receiver.ledger.length;

  behindMs = 61_000;
  const { healthPort } = await harness.start();
  const alarmed = (text: string) =>
    harness.lines.some(({ msg, level }) => level === "error" && String(msg).includes(text));
  expect([alarmed("no new work is taken"), alarmed("nothing is sent")]).toEqual([true, true]);
  const ready = await fetch(`http://127.0.0.1:${healthPort}/readyz`);
  expect(await ready.json()).toEqual({ status: "not ready", failing: ["clock"] });
  await harness.publish(late);
  expect(await harness.operate(operations.getWebhookDelivery.command, { eventId: early.eventId })).toEqual({
    outcome: "not_started",
  });
  expect(harness.receiver.ledger).toHaveLength(sent);

  // The dispatcher sends events that it has accepted before, while its clock is wrong by less than a minute.
  behindMs = 30_000;
  await eventually(() => expect(harness.receiver.ledger).toHaveLength(sent + 1));
  expect(await eventIds()).toEqual([early.eventId]);
  expect(harness.confirmed).not.toContain(late.eventId);
  const live = await fetch(`http://127.0.0.1:${healthPort}/livez`);
  expect(live.status).toBe(200);

  behindMs = 0;
  await delivered(late.eventId);
  expect(await eventIds()).toHaveLength(2);
});

async function eventIds(): Promise<string[]> {
  const rows = await harness.query<{ event_id: string }>("select event_id from webhooks.event");
  return rows.map(({ event_id }) => event_id);
}

test("retention drops days and keeps the rest; days to come have their partitions", async () => {
  harness = await startDispatcherHarness({}, { start: false });
  await harness.query(
    `create table webhooks.event_20200101 partition of webhooks.event for values from ('2020-01-01Z') to ('2020-01-02Z');
     create table webhooks.attempt_20200101 partition of webhooks.attempt for values from ('2020-01-01Z') to ('2020-01-02Z')`,
  );
  const names = async () =>
    (
      await harness.query<{ name: string }>(
        "select relname as name from pg_class where relnamespace = 'webhooks'::regnamespace and relispartition and relkind = 'r'",
      )
    ).map(({ name }) => name);
  const day = (days: number) =>
    new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
  expect(await names()).toContain("event_20200101");
  const alarms: number[] = [];
  const events = { defaultPartitionUsed: (rows: number) => alarms.push(rows) } as never;
  await harness.query("drop table webhooks.attempt_" + day(7));
  await maintainPartitions(createDatabase(poolOf()), { eventDays: 90, attemptDays: 30, events });
  const left = await names();
  for (const dropped of ["event_20200101", "attempt_20200101"]) expect(left).not.toContain(dropped);
  for (const parent of ["event", "outcome", "attempt"]) {
    for (const days of [-1, 0, 7]) expect(left).toContain(`${parent}_${day(days)}`);
  }
  expect(alarms).toEqual([]);
  // An event of a time that has no partition is kept, with an alarm.
  await harness.start();
  await harness.publish(newEvent({ at: Date.now() - 40 * 86_400_000 }));
  await eventually(async () =>
    expect(await harness.query("select 1 from webhooks.event_default")).toHaveLength(1),
  );
  await maintainPartitions(createDatabase(poolOf()), { eventDays: 90, attemptDays: 30, events });
  expect(alarms).toEqual([2]);
});
