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
  await withClient(harness.database.superuserUrl, async (client) => {
    await client.query("begin; lock table webhooks.event");
    await harness.publish(event);
    // It says so each second, so by now the stream has waited longer than it waits for a dispatcher that says nothing.
    await eventually(() => expect(said.length).toBeGreaterThanOrEqual(5), { withinMs: 60_000 });
    await client.query("rollback");
  });
  await eventually(async () => expect((await harness.delivery(event.eventId)).status).toBe("delivered"));
  await eventually(() => expect(new Set(said)).toEqual(new Set(["+WPI", "+ACK"])));
  const { delivered } = await (
    await jetstreamManager(harness.bus.nats)
  ).consumers.info(EVENT_STREAM.name, WEBHOOK_CONSUMER);
  expect(delivered.consumer_seq).toBe(delivered.stream_seq);
  await harness.close();
});
