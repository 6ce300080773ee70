import { operations, testIdOf } from "@holdfast/contracts";
import { eventually, type LedgerReceiver } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

let harness: DispatcherHarness;
let broken: LedgerReceiver;
beforeAll(async () => {
  harness = await startDispatcherHarness({ WEBHOOK_RETRY_SCHEDULE: "200ms", WEBHOOK_REAP_INTERVAL: "100ms" });
  broken = await harness.startReceiver();
});
afterAll(() => harness.close());

const failing = async () => {
  const reply = await harness.operate(operations.listFailingWebhooks.command, {});
  if (reply.outcome !== "done") throw new Error(JSON.stringify(reply));
  return reply.result;
};

test("operators see which endpoints of all merchants fail, why and since when, until they answer again", async () => {
  expect(await failing()).toEqual({ items: [], total: 0 });
  const well = await harness.enable(harness.receiver.url);
  const ill = await harness.enable(broken.url);
  broken.behave({ kind: "status", status: 503 });
  const [arrives, waits] = [well, ill].map(({ merchantId }) => newEvent({ merchantId }));
  await harness.publish(arrives!);
  await harness.publish(waits!);

  await eventually(async () => {
    expect(await failing()).toEqual({
      items: [
        {
          merchantId: ill.merchantId,
          livemode: true,
          endpointId: ill.merchantId,
          default: true,
          url: broken.url,
          lastError: "status",
          lastStatusCode: 503,
          health: expect.objectContaining({
            breaker: "open",
            failingSince: expect.any(String),
            lastFailureAt: expect.any(String),
          }),
        },
      ],
      total: 1,
    });
  });
  broken.behave({ kind: "status", status: 200 });
  await eventually(async () => expect(await failing()).toEqual({ items: [], total: 0 }));
});

test("the merchant of a test mode's endpoint is named by its own id", async () => {
  const { merchantId } = await harness.enable(broken.url);
  await harness.query(`update webhooks.endpoint set merchant_id = '${testIdOf(merchantId)}', endpoint_id = '${testIdOf(merchantId)}'
    where merchant_id = '${merchantId}'`);
  await harness.query(`insert into webhooks.endpoint_health (endpoint_id, failing_since, breaker_open, reported_at)
    values ('${testIdOf(merchantId)}', now(), true, now())`);
  const { items } = await failing();
  expect(items).toEqual([
    expect.objectContaining({ merchantId, livemode: false, endpointId: testIdOf(merchantId) }),
  ]);
});
