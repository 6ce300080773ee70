import { confirmEvents, EVENT_STREAM } from "@holdfast/contracts";
import { request, serve } from "@holdfast/messaging";
import { eventually } from "@holdfast/tests/support";
import {
  DiscardPolicy,
  jetstreamManager,
  StoreCompression,
  type StreamUpdateConfig,
} from "@nats-io/jetstream";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startOutboxHarness, type OutboxHarness } from "../test/outbox-harness.ts";
import { confirmEventsHandler } from "./confirm-events.ts";
import { EventStreamSettingsError } from "./event-stream.ts";
import type { OutboxSettings } from "./outbox-settings.ts";
import { claimDue, confirm, measureBacklog, unclaim } from "./outbox-statements.ts";
import { publishEvents } from "./publish-events.ts";
import { createRelayRound, startOutboxRelay, type OutboxRelay } from "./relay.ts";

const FOREIGN_SETTINGS: [setting: string, change: Partial<StreamUpdateConfig>][] = [
  ["republish", { republish: { src: ">", dest: "_INBOX_refunds.spy.>" } }],
  ["sources", { sources: [{ name: "OTHER" }] }],
  ["no_ack", { no_ack: true }],
  ["subjects", { subjects: ["events.>", "payments.>"], no_ack: true }],
  ["subject_transform", { subject_transform: { src: "events.>", dest: "elsewhere.>" } }],
  ["allow_direct", { allow_direct: true }],
  ["allow_rollup_hdrs", { allow_rollup_hdrs: true }],
  ["deny_delete", { deny_delete: true }],
  ["deny_purge", { deny_purge: true }],
  ["discard", { discard: DiscardPolicy.New }],
  ["max_age", { max_age: 0 }],
  ["max_msgs", { max_msgs: 5 }],
  ["metadata", { metadata: { owner: "somebody" } }],
  ["compression", { compression: StoreCompression.S2 }],
];

let harness: OutboxHarness;
let relays: OutboxRelay[];
beforeEach(async () => {
  harness = await startOutboxHarness();
  relays = [];
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop(1_000)));
  await harness.close();
});

function relay(change: Partial<OutboxSettings> = {}): OutboxRelay {
  const { pool, bus, log } = harness;
  const started = startOutboxRelay({
    pool,
    bus,
    source: "payments",
    settings: harness.settings(change),
    log,
  });
  relays.push(started);
  return started;
}

const round = (change: Partial<OutboxSettings> = {}, lookAtStreamEveryMs = 10_000) => {
  const { pool, bus, log } = harness;
  const settings = harness.settings(change);
  return createRelayRound({ pool, bus, source: "payments", settings, log, lookAtStreamEveryMs });
};
const published = () => eventually(() => harness.published());

test("a committed event is published with its exact bytes and stays open until it is confirmed", async () => {
  const body = Buffer.from('{"b":1, "a":12.50,"ş":"😀"}');
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const eventId = await harness.record({ body, traceparent });
  relay();
  const [message, ...more] = await eventually(async () => {
    const messages = await harness.published();
    expect(messages).not.toEqual([]);
    return messages;
  });
  expect(more).toEqual([]);
  expect(message).toMatchObject({
    msgId: `${eventId}:1`,
    traceparent,
    event: { eventId, source: "payments", status: "SUCCESS" },
  });
  expect(Buffer.from(message!.event.body, "base64").equals(body)).toBe(true);
  expect(await harness.rows()).toMatchObject([{ event_id: eventId, publish_attempts: 1, confirmed: false }]);
  expect(await measureBacklog(harness.pool)).toMatchObject({ unconfirmed: 1 });

  const serving = await serve(harness.bus, {
    service: "payments",
    permits: { external: 10, local: 10 },
    onHandled: () => {},
    handlers: [confirmEventsHandler("payments", harness.pool)],
  });
  const context = {
    requestId: "r",
    deadlineAt: Date.now() + 100_000,
    service: { name: "webhook-dispatcher" },
  };
  const options = { waitUntil: Date.now() + 100_000, traceparent: "" };
  expect(
    await request(harness.bus, confirmEvents.payments, context, { eventIds: [eventId] }, options),
  ).toMatchObject({ outcome: "done" });
  expect(await harness.rows()).toMatchObject([{ confirmed: true }]);
  expect(await measureBacklog(harness.pool)).toEqual({ unconfirmed: 0, oldestAgeMs: 0 });
  await serving.stop(0);
});

test("what nobody confirms comes again under another message id, each time after twice as long", async () => {
  const eventId = await harness.record();
  const next = round({ OUTBOX_REPUBLISH_AFTER: 3_600_000 });
  await next();
  expect((await harness.rows())[0]!.due_in_ms).toBeLessThanOrEqual(3_600_000);
  await harness.superuser.query("update payments.outbox set publish_at = now()");
  await eventually(async () => {
    await next();
    expect((await harness.rows())[0]!.publish_attempts).toBe(2);
  });
  const { due_in_ms } = (await harness.rows())[0]!;
  expect(due_in_ms).toBeGreaterThan(3_600_000);
  expect(due_in_ms).toBeLessThanOrEqual(7_200_000);
  // Within the stream's duplicate window: the bare id would have been swallowed.
  expect((await published()).map(({ msgId }) => msgId)).toEqual([`${eventId}:1`, `${eventId}:2`]);
  await confirm(harness.pool, [eventId]);
  await harness.superuser.query("update payments.outbox set publish_at = now() - interval '1 hour'");
  await next();
  expect(await published()).toHaveLength(2);
});

/** The stream takes no larger events from now on. A round that looks at the stream refuses it as changed. */
const limitSize = async (bytesMax: number) => {
  const { streams } = await jetstreamManager(harness.bus.nats);
  await streams.update(EVENT_STREAM.name, { max_msg_size: bytesMax });
};
const refuse = (refusing: boolean) => limitSize(refusing ? 1 : -1);

test("a publish that failed does not count: after an outage of the stream the next copy is due as ever", async () => {
  // Each relay has found the stream in order, and later meets one that accepts nothing.
  const make = () => round({ OUTBOX_REPUBLISH_AFTER: 3_600_000 }, Infinity);
  const rounds = Array.from({ length: 5 }, make);
  const next = make();
  for (const look of [...rounds, next]) await look();
  const eventId = await harness.record();
  await refuse(true);
  for (const fail of rounds) {
    await eventually(async () => expect(await fail()).toBe("failed"));
    expect(await harness.rows()).toMatchObject([{ publish_attempts: 0, confirmed: false }]);
  }
  await refuse(false);
  await eventually(async () => {
    await next();
    expect(await harness.rows()).toMatchObject([{ publish_attempts: 1 }]);
  });
  const [row] = await harness.rows();
  expect(row).toMatchObject({ publish_attempts: 1 });
  expect(row!.due_in_ms).toBeLessThanOrEqual(3_600_000);
  expect((await harness.published()).map(({ msgId }) => msgId)).toEqual([`${eventId}:1`]);

  // The next copy fails, too: it is tried again soon, and is still the second one.
  await harness.superuser.query("update payments.outbox set publish_at = now()");
  await refuse(true);
  await eventually(async () => expect(await next()).toBe("failed"));
  const [failed] = await harness.rows();
  expect(failed).toMatchObject({ publish_attempts: 1 });
  expect(failed!.due_in_ms).toBeLessThan(10_000);
  await refuse(false);
  await eventually(async () => {
    await next();
    expect(await harness.rows()).toMatchObject([{ publish_attempts: 2 }]);
  });
  expect((await harness.rows())[0]!.due_in_ms).toBeLessThanOrEqual(7_200_000);
  expect((await harness.published()).map(({ msgId }) => msgId)).toEqual([`${eventId}:1`, `${eventId}:2`]);
});

test("an event that the stream never takes stops neither new ones nor those that come again", async () => {
  const { bus } = harness;
  // The event is larger than nats-server takes.
  const large = await harness.record({ body: Buffer.alloc(bus.nats.info!.max_payload, " ") });
  const small = await harness.record();
  const next = round({ OUTBOX_REPUBLISH_AFTER: 1 });
  await eventually(async () => {
    expect(await next()).toBe("failed");
    const [never, again] = await harness.rows();
    expect(never).toMatchObject({ event_id: large, publish_attempts: 0 });
    expect(again!.publish_attempts).toBeGreaterThan(1);
  });
  expect(new Set((await harness.published()).map(({ event }) => event.eventId))).toEqual(new Set([small]));
});

test("a failed publish that did arrive is not in the stream twice", async () => {
  const eventId = await harness.record();
  const options = { fresh: 10, unconfirmed: 0, republishAfterMs: 60_000 };
  const claimed = await claimDue(harness.pool, options);
  await publishEvents(harness.bus.nats, "payments", claimed);
  // The answer was lost.
  await unclaim(harness.pool, claimed, 0);
  await round()();
  expect((await harness.published()).map(({ msgId }) => msgId)).toEqual([`${eventId}:1`]);
  expect(await harness.rows()).toMatchObject([{ publish_attempts: 1 }]);
});

test("a claim is not taken back once the row is somebody else's or confirmed", async () => {
  const options = { fresh: 10, unconfirmed: 10, republishAfterMs: 0 };
  const [one, two] = [await harness.record(), await harness.record()];
  const claimed = await claimDue(harness.pool, options);
  expect(claimed).toHaveLength(2);
  await confirm(harness.pool, [one]);
  expect(await claimDue(harness.pool, options)).toMatchObject([{ event_id: two }]);
  await unclaim(harness.pool, claimed, 0);
  expect(await harness.rows()).toMatchObject([
    { event_id: one, publish_attempts: 1, confirmed: true },
    { event_id: two, publish_attempts: 2 },
  ]);
});

test("an event that is committed after a later one is not missed", async () => {
  await harness.superuser.query("begin");
  await harness.superuser.query(
    `insert into payments.outbox (event_type, payment_id, merchant_id, status, body)
     values ('payment.status_changed', gen_random_uuid(), gen_random_uuid(), 'SUCCESS', '{}')`,
  );
  const later = await harness.record();
  relay();
  await eventually(async () =>
    expect((await harness.published()).map(({ event }) => event.eventId)).toEqual([later]),
  );
  await harness.superuser.query("commit");
  await eventually(async () => expect(await harness.published()).toHaveLength(2));
});

test("two relays share the work: each event is published once", async () => {
  const ids = await Promise.all(Array.from({ length: 300 }, () => harness.record()));
  relay();
  relay();
  await eventually(async () =>
    expect((await harness.rows()).every(({ publish_attempts }) => publish_attempts === 1)).toBe(true),
  );
  const messages = await eventually(async () => {
    const found = await harness.published();
    expect(found).toHaveLength(300);
    return found;
  });
  expect(new Set(messages.map(({ event }) => event.eventId))).toEqual(new Set(ids));
});

test("all of JetStream's data is lost: the stream is made anew and what was not confirmed comes again", async () => {
  relay({ OUTBOX_REPUBLISH_AFTER: 300 });
  const first = await harness.record();
  await eventually(async () => expect(await harness.published()).toHaveLength(1));
  await (await jetstreamManager(harness.bus.nats)).streams.delete(EVENT_STREAM.name);
  const second = await harness.record();
  await eventually(async () => {
    const ids = (await harness.published()).map(({ event }) => event.eventId);
    expect(new Set(ids)).toEqual(new Set([first, second]));
  });
});

test("while the bus is away nothing is claimed, and afterwards everything goes out", async () => {
  relay();
  await harness.nats.kill();
  await eventually(() => expect(harness.bus.connected).toBe(false));
  await harness.record();
  const next = round();
  expect(await next()).toBe("failed");
  expect(await harness.rows()).toMatchObject([{ publish_attempts: 0 }]);
  await harness.nats.restart();
  await eventually(async () => expect(await harness.published()).toHaveLength(1));
});

test("what is published again is limited in all; new events are not", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  await Promise.all(Array.from({ length: 30 }, () => harness.record()));
  const next = round({ OUTBOX_REPUBLISH_AFTER: 1, OUTBOX_REPUBLISH_RATE_MAX: 10 });
  await next();
  expect((await harness.rows()).filter(({ publish_attempts }) => publish_attempts >= 1)).toHaveLength(30);
  await harness.superuser.query("update payments.outbox set publish_at = now() - interval '1 minute'");
  vi.advanceTimersByTime(250);
  await next();
  const again = (await harness.rows()).filter(({ publish_attempts }) => publish_attempts > 1).length;
  expect(again).toBeGreaterThan(0);
  expect(again).toBeLessThanOrEqual(12);
});

test.each(FOREIGN_SETTINGS)(
  "a stream with foreign settings (%s) takes no event, and the error says which",
  async (setting, change) => {
    const { streams } = await jetstreamManager(harness.bus.nats);
    await streams.update(EVENT_STREAM.name, change);
    await harness.record();
    const refused = await round()().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EventStreamSettingsError);
    expect((refused as Error).message).toContain(`${setting} is `);
    expect((refused as Error).message).toContain("run the installation again");
    expect(await harness.rows()).toMatchObject([{ publish_attempts: 0 }]);
  },
);
