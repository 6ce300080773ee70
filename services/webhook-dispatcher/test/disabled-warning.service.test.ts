import { operations } from "@holdfast/contracts";
import { eventually, type LedgerReceiver } from "@holdfast/tests/support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { addEndpoint } from "./endpoints.ts";
import { newEvent } from "./events.ts";

let harness: DispatcherHarness;
let shop: LedgerReceiver;
let books: LedgerReceiver;
beforeAll(async () => {
  harness = await startDispatcherHarness({ WEBHOOK_WARN_AFTER: "1s" });
  shop = harness.receiver;
  books = await harness.startReceiver();
});
afterAll(() => harness.close());

const warningsAt = ({ ledger }: LedgerReceiver) =>
  ledger
    .filter(({ headers }) => headers["x-event-type"] === "webhook.disabled_warning")
    .map(({ headers, body }) => ({
      id: headers["x-event-id"],
      ...(JSON.parse(body.toString()) as Record<string, unknown>),
    }));

test("an endpoint that fails for long is told of at the merchant's other endpoint, once for as long as it fails, and so is one that is turned off", async () => {
  // The shop's own wish to be warned does not bring it the warning about itself.
  const { merchantId } = await harness.enable(shop.url);
  await harness.operate(operations.changeMerchantWebhook.command, {
    merchantId,
    endpointId: merchantId,
    events: [...BOTH],
  });
  const further = await addEndpoint(harness, merchantId, { url: books.url, events: [BOTH[1]] });
  shop.behave({ kind: "status", status: 500 });
  const event = newEvent({ merchantId });
  await harness.publish(event);

  await eventually(() =>
    expect(warningsAt(books)).toEqual([
      {
        id: expect.any(String),
        endpointId: merchantId,
        default: true,
        reason: "FAILING",
        failingSince: expect.any(String),
        lostFrom: expect.any(String),
      },
    ]),
  );
  const [warning] = warningsAt(books);
  const log = await harness.delivery(String(warning!.id));
  expect(log).toMatchObject({ eventType: "webhook.disabled_warning", merchantId, status: "skipped" });
  expect(log).not.toHaveProperty("paymentId");
  expect(log).not.toHaveProperty("paymentStatus");

  // The endpoint works again, fails again, and is warned of again.
  shop.behave({ kind: "status", status: 200 });
  await eventually(async () => expect((await harness.delivery(event.eventId)).status).toBe("delivered"));
  await eventually(async () => expect(await failing()).toEqual([]));
  expect(warningsAt(books)).toHaveLength(1);
  shop.behave({ kind: "status", status: 500 });
  await harness.publish(newEvent({ merchantId }));
  await eventually(() => expect(warningsAt(books)).toHaveLength(2));
  expect(warningsAt(shop)).toEqual([]);

  shop.behave({ kind: "status", status: 200 });
  await harness.operate(operations.removeMerchantWebhook.command, {
    merchantId,
    endpointId: further.endpointId,
  });
  await eventually(() =>
    expect(warningsAt(shop)).toEqual([
      {
        id: expect.any(String),
        endpointId: further.endpointId,
        default: false,
        reason: "TURNED_OFF",
        by: "operators",
      },
    ]),
  );
});

const BOTH = ["payment.status_changed", "webhook.disabled_warning"] as const;

const failing = () =>
  harness.query("select endpoint_id from webhooks.endpoint_health where failing_since is not null");

test("of several dispatchers one tells of an endpoint that fails, and none where no other endpoint asks", async () => {
  const { merchantId } = await harness.enable(shop.url);
  await addEndpoint(harness, merchantId, { url: books.url, events: [BOTH[1]] });
  const alone = await harness.enable(shop.url);
  await harness.stopAll();
  const countWarnings = async (ofMerchant: string) =>
    (
      await harness.query("select 1 from webhooks.event where merchant_id = $1 and event_type = $2", [
        ofMerchant,
        BOTH[1],
      ])
    ).length;
  await harness.query(
    `insert into webhooks.endpoint_health (endpoint_id, failing_since, breaker_open, reported_at)
     select unnest($1::uuid[]), now() - interval '1 hour', true, now()`,
    [[merchantId, alone.merchantId]],
  );

  await Promise.all([harness.start(), harness.start(), harness.start()]);
  await eventually(async () => expect(await countWarnings(merchantId)).toBe(1));
  const warned = "select 1 from webhooks.endpoint_health where endpoint_id = any($1) and warnings = 1";
  await eventually(async () =>
    expect(await harness.query(warned, [[merchantId, alone.merchantId]])).toHaveLength(2),
  );
  await harness.disable(alone.merchantId);
  expect(await countWarnings(alone.merchantId)).toBe(0);
});
