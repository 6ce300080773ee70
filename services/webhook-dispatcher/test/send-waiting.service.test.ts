import { operations } from "@holdfast/contracts";
import { eventually, type LedgerReceiver } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { endpointsOf } from "./endpoints.ts";
import { newEvent } from "./events.ts";

let harness: DispatcherHarness;
let receiver: LedgerReceiver;
beforeAll(async () => {
  // The next attempt by the schedule is out of sight.
  harness = await startDispatcherHarness({ WEBHOOK_RETRY_SCHEDULE: "1h", WEBHOOK_REAP_INTERVAL: "100ms" });
  receiver = await harness.startReceiver();
});
afterAll(() => harness.close());

/** An endpoint that has refused three events, which wait, and answers again. */
async function outage() {
  receiver.behave({ kind: "status", status: 503 });
  const { merchantId } = await harness.enable(receiver.url);
  const events = [newEvent({ merchantId }), newEvent({ merchantId }), newEvent({ merchantId })];
  await harness.publish(...events);
  await eventually(async () => {
    const waiting = await harness.query(
      `select from webhooks.delivery where endpoint_id = '${merchantId}' and attempt = 2 and lease_token is null`,
    );
    expect(waiting).toHaveLength(3);
    const health = await harness.query(
      `select from webhooks.endpoint_health where endpoint_id = '${merchantId}' and failing_since is not null`,
    );
    expect(health).toHaveLength(1);
  });
  receiver.ledger.length = 0;
  receiver.behave({ kind: "status", status: 200 });
  return { merchantId, ids: events.map(({ eventId }) => eventId).toSorted() };
}

const arrived = () => receiver.ledger.map(({ headers }) => String(headers["x-event-id"])).toSorted();
const extras = (merchantId: string) =>
  harness.query(`select from webhooks.attempt where endpoint_id = '${merchantId}' and trigger = 'manual'`);

test("what waits for an endpoint is sent when somebody asks, each once", async () => {
  const { merchantId, ids } = await outage();
  expect(await endpointsOf(harness, merchantId)).toMatchObject([{ enabled: true, waitingCount: 3 }]);
  const ask = (endpointId: string) =>
    harness.operate(operations.redeliverFailedWebhooks.command, { merchantId, endpointId });
  const stranger = await harness.enable(harness.receiver.url);
  expect(await ask(stranger.merchantId)).toMatchObject({ code: "webhook_not_found" });
  expect(await ask(merchantId)).toEqual({ outcome: "done", result: { queued: 3 } });
  await eventually(() => expect(arrived()).toEqual(ids));
  for (const eventId of ids)
    await eventually(async () => expect((await harness.delivery(eventId)).status).toBe("delivered"));
  expect(await ask(merchantId)).toEqual({ outcome: "done", result: { queued: 0 } });
  expect(await endpointsOf(harness, merchantId)).toMatchObject([{ waitingCount: 0 }]);
});

test("a test that succeeds after failures sends what waits", async () => {
  const { merchantId, ids } = await outage();
  const tried = await harness.operate(operations.testWebhookEndpoint.command, {
    merchantId,
    endpointId: merchantId,
  });
  expect(tried).toMatchObject({ result: { delivered: true } });
  await eventually(() => expect(arrived()).toEqual(expect.arrayContaining(ids)));
});

test("a delivery that succeeds after an outage sends what waits, and after a short fault leaves it to the schedule", async () => {
  const long = await outage();
  await harness.query(`update webhooks.endpoint_health
    set failing_since = now() - interval '6 minutes' where endpoint_id = '${long.merchantId}'`);
  const first = newEvent({ merchantId: long.merchantId });
  await harness.publish(first);
  await eventually(() => expect(arrived()).toEqual([...long.ids, first.eventId].toSorted()));
  const short = await outage();
  const second = newEvent({ merchantId: short.merchantId });
  await harness.publish(second);
  await eventually(async () => {
    const known = await harness.query(
      `select from webhooks.endpoint_health where endpoint_id = '${short.merchantId}' and failing_since is null`,
    );
    expect(known).toHaveLength(1);
  });
  expect(arrived()).toEqual([second.eventId]);
  expect(await extras(short.merchantId)).toEqual([]);
});
