import { WEBHOOK_CONSUMER, EVENT_STREAM } from "@holdfast/contracts";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { eventually } from "@holdfast/tests/support";
import { jetstreamManager } from "@nats-io/jetstream";
import { expect, test } from "vitest";
import { startDispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

test("an event that waits for the database is not sent to the dispatcher again, however long that takes", async () => {
  const harness = await startDispatcherHarness({}, { ackWaitMs: 3_000 });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  const said: string[] = [];
  harness.bus.nats.subscribe(`$JS.ACK.${EVENT_STREAM.name}.${WEBHOOK_CONSUMER}.>`, {
    callback: (_, message) => void said.push(message.string()),
  });
  const others = [newEvent({ merchantId }), newEvent({ merchantId })];
  await withClient(harness.database.superuserUrl, async (client) => {
    await client.query("begin; lock table webhooks.event");
    await harness.publish(event);
    await harness.publishList(...others);
    // It reports progress each second, so by now the stream has waited longer than it would for a silent
    // dispatcher.
    await eventually(() => expect(said.length).toBeGreaterThanOrEqual(5), { withinMs: 60_000 });
    await client.query("rollback");
  });
  for (const { eventId } of [event, ...others])
    await eventually(async () => expect((await harness.delivery(eventId)).status).toBe("delivered"));
  await eventually(() => expect(new Set(said)).toEqual(new Set(["+WPI", "+ACK"])));
  const { delivered } = await (
    await jetstreamManager(harness.bus.nats)
  ).consumers.info(EVENT_STREAM.name, WEBHOOK_CONSUMER);
  expect(delivered.consumer_seq).toBe(delivered.stream_seq);
  await harness.close();
});

test("copies of an event that waits for the database are not taken, and its one acknowledgement ends them all", async () => {
  // The stream's wait is shorter than the time between two beats, as for a dispatcher that no longer reports
  // progress.
  const harness = await startDispatcherHarness({}, { ackWaitMs: 400 });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  const acknowledged: string[] = [];
  harness.bus.nats.subscribe(`$JS.ACK.${EVENT_STREAM.name}.${WEBHOOK_CONSUMER}.>`, {
    callback: (_, message) => void (message.string() === "+ACK" && acknowledged.push(message.subject)),
  });
  const manager = await jetstreamManager(harness.bus.nats);
  const consumer = async () => await manager.consumers.info(EVENT_STREAM.name, WEBHOOK_CONSUMER);
  await withClient(harness.database.superuserUrl, async (client) => {
    await client.query("begin; lock table webhooks.event");
    await harness.publish(event);
    await eventually(
      async () => {
        const { delivered } = await consumer();
        expect(delivered.consumer_seq - delivered.stream_seq).toBeGreaterThanOrEqual(8);
      },
      { withinMs: 60_000 },
    );
    await client.query("rollback");
  });
  await eventually(async () => expect((await harness.delivery(event.eventId)).status).toBe("delivered"));
  await eventually(async () =>
    expect(await consumer()).toMatchObject({ num_ack_pending: 0, num_redelivered: 0 }),
  );
  await eventually(() => expect(acknowledged.length).toBeGreaterThan(0));
  // One that was on its way while the first was acknowledged is acknowledged once more.
  expect(acknowledged.length).toBeLessThan(4);
  await harness.close();
});

test("a dispatcher that stops says that it has an event for as long as it waits for the commit", async () => {
  const harness = await startDispatcherHarness({ DRAIN_TIMEOUT: "8s" }, { start: false });
  const dispatcher = await harness.start();
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  const said: string[] = [];
  harness.bus.nats.subscribe(`$JS.ACK.${EVENT_STREAM.name}.${WEBHOOK_CONSUMER}.>`, {
    callback: (_, message) => void said.push(message.string()),
  });
  await withClient(harness.database.superuserUrl, async (client) => {
    await client.query("begin; lock table webhooks.event");
    await harness.publish(event);
    await eventually(() => expect(said).not.toEqual([]), { withinMs: 60_000 });
    const saidBefore = said.length;
    await dispatcher.stop();
    // The first of them may have been on its way when the stop began.
    expect(said.length - saidBefore).toBeGreaterThanOrEqual(2);
    await client.query("rollback");
  });
  await harness.close();
});
