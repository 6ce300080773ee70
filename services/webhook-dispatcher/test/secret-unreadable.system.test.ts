import { randomBytes } from "node:crypto";
import { operations, type WebhookDeliveryDetail } from "@holdfast/contracts";
import { eventually } from "@holdfast/tests/support";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

const ring = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
const OLD = ring("k1");
const NEW = ring("k2");
const withOldKey = { WEBHOOK_SECRET_KEYS: `${NEW},${OLD}` };
/** The dispatcher would not start without `KEYS_ABANDONED`. */
const withoutOldKey = { WEBHOOK_SECRET_KEYS: NEW, KEYS_ABANDONED: "k1" };

let harness: DispatcherHarness;
let merchantId: string;

/** An endpoint whose secret is encrypted under the old key, and no dispatcher that runs. */
beforeEach(async () => {
  harness = await startDispatcherHarness({ WEBHOOK_RETRY_SCHEDULE: "100ms" }, { start: false });
  const before = await harness.start({ WEBHOOK_SECRET_KEYS: OLD });
  ({ merchantId } = await harness.enable());
  await before.stop();
});
afterEach(() => harness.close());

const deliveryOnce = (eventId: string, check: (delivery: WebhookDeliveryDetail) => void) =>
  eventually(async () => {
    const delivery = await harness.delivery(eventId);
    check(delivery);
    return delivery;
  });

test("without the key of an endpoint's secret each attempt fails visibly, until the window ends", async () => {
  await harness.start({ ...withoutOldKey, WEBHOOK_RETRY_WINDOW: "1s" });
  const event = newEvent({ merchantId });
  await harness.publish(event);
  const { attempts } = await deliveryOnce(event.eventId, ({ status }) => expect(status).toBe("failed"));
  expect(harness.receiver.ledger).toEqual([]);
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, index) => index + 1));
  for (const attempt of attempts) {
    expect(attempt).toMatchObject({ succeeded: false, error: "secret_unreadable", secretVersion: 1 });
  }
  const lines = harness.lines.filter(({ outcome }) => outcome === "secret_unreadable");
  expect(lines).toHaveLength(attempts.length);
  expect(lines.every(({ level }) => level === "error")).toBe(true);
});

test("a test event and a resend by hand say so, too", async () => {
  await harness.start({ ...withoutOldKey, WEBHOOK_RETRY_SCHEDULE: "1h" });
  expect(
    await harness.operate(operations.testWebhookEndpoint.command, { merchantId, endpointId: merchantId }),
  ).toMatchObject({
    result: { delivered: false, error: "secret_unreadable" },
  });
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await deliveryOnce(event.eventId, ({ attemptCount }) => expect(attemptCount).toBe(1));
  await harness.operate(operations.redeliverWebhook.command, { eventId: event.eventId });
  const { attempts } = await deliveryOnce(event.eventId, ({ attemptCount }) => expect(attemptCount).toBe(2));
  expect(attempts[1]).toMatchObject({ trigger: "manual", error: "secret_unreadable" });
});

test("once the key is back the next attempt is sent", async () => {
  const dispatcher = await harness.start(withoutOldKey);
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await deliveryOnce(event.eventId, ({ attemptCount }) => expect(attemptCount).toBeGreaterThan(1));
  await dispatcher.stop();
  await harness.start(withOldKey);
  await deliveryOnce(event.eventId, ({ status }) => expect(status).toBe("delivered"));
  expect(harness.receiver.ledger).toHaveLength(1);
});
