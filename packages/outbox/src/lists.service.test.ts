import { EVENT_STREAM } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { startOutboxHarness, type OutboxHarness } from "../test/outbox-harness.ts";
import { claimDue, unclaim } from "./outbox-statements.ts";
import { publishEvents } from "./publish-events.ts";
import { pullEvents } from "./pull-events.ts";
import { createRelayRound } from "./relay.ts";

// Several events in one message of the stream.
let harness: OutboxHarness;
beforeEach(async () => {
  harness = await startOutboxHarness();
});
afterEach(() => harness.close());

const round = () => {
  const { pool, bus, log } = harness;
  return createRelayRound({ pool, bus, source: "payments", settings: harness.settings(), log });
};
const record = async (count: number) =>
  await Promise.all(Array.from({ length: count }, () => harness.record()));
/** The number of events in each message, in the stream's order. */
async function sizes(): Promise<number[]> {
  const bySequence = Map.groupBy(await harness.published(), ({ seq }) => seq);
  return [...bySequence.values()].map((events) => events.length);
}

test("what is committed together leaves together, each event with its bytes and its trace", async () => {
  const bodies = ['{"b":1, "a":12.50,"ş":"😀"}', '{"c":2}', "{}"];
  const traceparents = [
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01",
    undefined,
  ];
  const ids = await Promise.all(
    bodies.map((body, index) => {
      const traceparent = traceparents[index];
      return harness.record({ body: Buffer.from(body), ...(traceparent !== undefined && { traceparent }) });
    }),
  );
  expect(await round()()).toBe("idle");
  expect(await sizes()).toEqual([3]);
  const published = new Map((await harness.published()).map((each) => [each.event.eventId, each]));
  for (const [index, id] of ids.entries()) {
    const { event, traceparent } = published.get(id)!;
    expect(Buffer.from(event.body, "base64").toString()).toBe(bodies[index]);
    expect(traceparent).toBe(traceparents[index] ?? "");
  }
});

test("a message is bounded in its events", async () => {
  await record(70);
  await round()();
  expect((await sizes()).toSorted((a, b) => b - a)).toEqual([32, 32, 6]);
});

test("a list that the stream does not take is due again soon, each event of it as a first copy", async () => {
  const ids = await record(3);
  const { streams } = await jetstreamManager(harness.bus.nats);
  const next = round();
  await streams.update(EVENT_STREAM.name, { max_msg_size: 1 });
  // The stream's settings are checked every ten seconds.
  const claimed = await claim();
  const { failed } = await publishEvents(harness.bus.nats, "payments", claimed);
  expect(new Set(failed.map(({ event_id }) => event_id))).toEqual(new Set(ids));
  await unclaim(harness.pool, failed, 0);
  expect((await harness.rows()).map(({ publish_attempts }) => publish_attempts)).toEqual([0, 0, 0]);
  await streams.update(EVENT_STREAM.name, { max_msg_size: -1 });
  await eventually(async () => expect(await next()).toBe("idle"));
  expect(new Set((await harness.published()).map(({ msgId }) => msgId))).toEqual(
    new Set(ids.map((id) => `${id}:1`)),
  );
});

test("a list that did arrive and seemed to fail is not in the stream twice", async () => {
  await record(3);
  const claimed = await claim();
  await publishEvents(harness.bus.nats, "payments", claimed);
  await unclaim(harness.pool, claimed, 0);
  const again = await claim();
  await publishEvents(harness.bus.nats, "payments", again);
  expect(await sizes()).toEqual([3]);
  // With another event beside them the list is another one, and must not be dropped as a copy.
  await unclaim(harness.pool, again, 0);
  await harness.record();
  await publishEvents(harness.bus.nats, "payments", await claim());
  expect(await sizes()).toEqual([3, 4]);
});

test("the events of a list that its reader refuses come again one by one", async () => {
  const ids = await record(3);
  const seen: number[] = [];
  const pull = pullEvents(harness.bus, {
    take({ events }) {
      seen.push(events.length);
      for (const event of events) event.term("not an event");
    },
    onFailed: () => {},
  });
  onTestFinished(() => pull.stop());
  const next = round();
  await next();
  await eventually(() => expect(seen).toEqual([3]));
  await harness.superuser.query("update payments.outbox set publish_at = now()");
  await next();
  await eventually(() => expect(seen).toEqual([3, 1, 1, 1]));
  expect((await harness.published()).slice(3).map(({ msgId }) => msgId)).toEqual(
    expect.arrayContaining(ids.map((id) => `${id}:2`)),
  );
});

const claim = async () =>
  await claimDue(harness.pool, {
    fresh: 10,
    unconfirmed: 0,
    republishAfterMs: 60_000,
  });
