import { randomUUIDv7 } from "node:crypto";
import { operations } from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { eventually, type LedgerReceiver } from "@holdfast/tests/support";
import { verifyWebhook } from "@holdfast/webhook-signature";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { addEndpoint, askForEndpoint, endpointsOf } from "./endpoints.ts";
import { newEvent } from "./events.ts";

let harness: DispatcherHarness;
let shop: LedgerReceiver;
let books: LedgerReceiver;
beforeAll(async () => {
  harness = await startDispatcherHarness({
    WEBHOOK_RETRY_SCHEDULE: "200ms",
    WEBHOOK_ATTEMPT_TIMEOUT: "3s",
    WEBHOOK_ENDPOINTS_MAX: "3",
  });
  shop = harness.receiver;
  books = await harness.startReceiver();
});
afterAll(() => harness.close());
beforeEach(async () => {
  for (const receiver of [shop, books]) receiver.behave({ kind: "status", status: 200 });
  // Deliveries that the test before has left arrive before this one begins.
  await eventually(async () => expect(await harness.query("select 1 from webhooks.delivery")).toEqual([]));
  for (const receiver of [shop, books]) receiver.ledger.length = 0;
});

/** The ids of the events that were sent there, each once. */
const sentTo = ({ ledger }: LedgerReceiver) =>
  [...new Set(ledger.map(({ headers }) => headers["x-event-id"]))].toSorted();
const idsOf = (events: { eventId: string }[]) => events.map(({ eventId }) => eventId).toSorted();
const statuses = async (eventId: string) =>
  Object.fromEntries(
    (await harness.delivery(eventId)).endpoints.map(({ endpointId, status }) => [endpointId, status]),
  );
const logOf = async (
  endpointId: string,
  more: { status?: "pending" | "failed"; merchantId?: string } = {},
) => {
  const reply = await harness.operate(operations.listWebhookDeliveries.command, {
    endpointId,
    limit: 50,
    ...more,
  });
  if (reply.outcome !== "done") throw new Error(JSON.stringify(reply));
  return reply.result.items.map((item) => item.eventId).toSorted();
};

test("each endpoint gets the events it wants under its own secret, and one that hangs takes nothing of the other's", async () => {
  const { merchantId, secret } = await harness.enable(shop.url);
  const further = await addEndpoint(harness, merchantId, {
    url: books.url,
    events: ["payment.status_changed", "payment.captured"],
  });
  const { endpointId } = further;
  books.behave({ kind: "hang" });
  const ended = Array.from({ length: 12 }, () => newEvent({ merchantId }));
  const captured = newEvent({ merchantId, eventType: "payment.captured", status: "CAPTURED" });
  await harness.publish(...ended, captured);

  await eventually(() => expect(sentTo(shop)).toEqual(idsOf(ended)));
  await eventually(async () => {
    const [first, second] = await endpointsOf(harness, merchantId);
    expect(first!.health).toMatchObject({ breaker: "closed", lastSuccessAt: expect.any(String) });
    expect(first!.health.failingSince).toBeUndefined();
    expect(second!.health).toMatchObject({ breaker: "open", failingSince: expect.any(String) });
    expect(second!.health.lastSuccessAt).toBeUndefined();
    expect(second!.health.oldestDueAt).toBeDefined();
  });
  for (const { eventId } of ended) {
    await eventually(async () =>
      expect(await statuses(eventId)).toEqual({ [merchantId]: "delivered", [endpointId]: "pending" }),
    );
  }
  expect(await statuses(captured.eventId)).toEqual({ [merchantId]: "skipped", [endpointId]: "pending" });
  expect(await logOf(endpointId, { status: "pending" })).toEqual(idsOf([...ended, captured]));

  books.behave({ kind: "status", status: 200 });
  await eventually(() => expect(sentTo(books)).toEqual(idsOf([...ended, captured])), { withinMs: 60_000 });
  await eventually(async () => {
    const [, second] = await endpointsOf(harness, merchantId);
    expect(second!.health).toMatchObject({ breaker: "closed", lastSuccessAt: expect.any(String) });
    expect(second!.health.failingSince).toBeUndefined();
    expect(second!.health.oldestDueAt).toBeUndefined();
    const ends = { [merchantId]: "skipped", [endpointId]: "delivered" };
    expect(await statuses(captured.eventId)).toEqual(ends);
  });
  expect(sentTo(shop)).toEqual(idsOf(ended));
  for (const entry of shop.ledger) {
    expect(verifyWebhook(entry, { secret, now: Date.now() })).toMatchObject({ valid: true });
    expect(verifyWebhook(entry, { secret: further.secret, now: Date.now() })).toMatchObject({ valid: false });
  }
  const last = books.ledger.at(-1)!;
  expect(verifyWebhook(last, { secret: further.secret, now: Date.now() })).toMatchObject({ valid: true });
  await eventually(async () => {
    const { attempts } = await harness.delivery(ended[0]!.eventId);
    for (const id of [merchantId, endpointId])
      expect(attempts.findLast((each) => each.endpointId === id)).toMatchObject({ succeeded: true });
  });
});

test("a secret is rotated, activated and tried for one endpoint alone", async () => {
  const { merchantId, secret } = await harness.enable(shop.url);
  const further = await addEndpoint(harness, merchantId, { url: books.url });
  const name = { merchantId, endpointId: further.endpointId };
  const recipient = createReplyRecipient();
  const rotated = await harness.operate(operations.rotateWebhookEndpointSecret.command, {
    ...name,
    recipientKey: recipient.publicKey,
  });
  if (rotated.outcome !== "done") throw new Error(JSON.stringify(rotated));
  const next = recipient.open(rotated.result.secret);
  expect(await endpointsOf(harness, merchantId)).toMatchObject([
    { endpointId: merchantId, default: true, secretVersion: 1 },
    {
      endpointId: further.endpointId,
      default: false,
      secretVersion: 1,
      nextSecretVersion: 2,
      activatesAt: rotated.result.activatesAt,
    },
  ]);
  await harness.publish(newEvent({ merchantId }));
  await eventually(() => expect([sentTo(shop).length, sentTo(books).length]).toEqual([1, 1]));
  expect(shop.ledger[0]!.headers["x-request-signature-next"]).toBeUndefined();
  expect(verifyWebhook(shop.ledger[0]!, { secret, now: Date.now() })).toMatchObject({ valid: true });
  expect(books.ledger[0]!.headers["x-request-signature-next"]).toBeDefined();
  expect(verifyWebhook(books.ledger[0]!, { secret: further.secret, now: Date.now() })).toMatchObject({
    valid: true,
  });

  expect(await harness.operate(operations.activateWebhookEndpointSecret.command, name)).toMatchObject({
    outcome: "done",
  });
  expect(await harness.operate(operations.testWebhookEndpoint.command, name)).toMatchObject({
    result: { delivered: true },
  });
  const tried = ({ ledger }: LedgerReceiver) =>
    ledger.filter(({ headers }) => headers["x-event-type"] === "webhook.test");
  expect(verifyWebhook(tried(books)[0]!, { secret: next, now: Date.now() })).toMatchObject({ valid: true });
  expect(tried(shop)).toEqual([]);
});

test("a merchant sees and tries its own endpoints, and nobody else's", async () => {
  const { merchantId } = await harness.enable(shop.url);
  const { endpointId } = await addEndpoint(harness, merchantId, { url: books.url });
  const as = (id: string) => ({ merchant: { merchantId: id } });
  expect(await harness.call(operations.listWebhooks.command, {}, as(merchantId))).toMatchObject({
    result: {
      items: [
        { endpointId: merchantId, url: shop.url },
        { endpointId, url: books.url },
      ],
    },
  });
  books.behave({ kind: "status", status: 500 });
  expect(await harness.call(operations.testWebhook.command, { endpointId }, as(merchantId))).toMatchObject({
    result: { delivered: false, statusCode: 500 },
  });
  expect(books.ledger).toMatchObject([{ headers: { "x-event-type": "webhook.test" } }]);
  const [line] = await harness.query<{ actor: string; action: string }>(
    "select actor, action from webhooks.audit_entry where subject = $1 order by sequence desc limit 1",
    [merchantId],
  );
  expect(line).toEqual({ actor: `merchant ${merchantId}`, action: "webhook.tested" });

  const stranger = randomUUIDv7();
  expect(await harness.call(operations.listWebhooks.command, {}, as(stranger))).toMatchObject({
    result: { items: [] },
  });
  expect(await harness.call(operations.testWebhook.command, { endpointId }, as(stranger))).toMatchObject({
    code: "webhook_not_found",
  });
  expect(books.ledger).toHaveLength(1);
});

test("a URL that is in use, an endpoint too many, a forbidden URL and a stranger's endpoint are refused", async () => {
  const { merchantId } = await harness.enable(shop.url);
  const ask = async (url: string) => (await askForEndpoint(harness, merchantId, { url })).reply;
  const inUse = { outcome: "problem", code: "webhook_url_in_use" };
  expect(await ask(shop.url)).toMatchObject(inUse);
  expect(await ask(shop.url.replace("localhost", "LOCALHOST"))).toMatchObject(inUse);
  expect(await ask(`${shop.url}/..${new URL(shop.url).pathname}`)).toMatchObject(inUse);
  const { endpointId } = await addEndpoint(harness, merchantId, { url: books.url });
  expect(await ask(books.url)).toMatchObject(inUse);
  // One of two simultaneous requests for a URL gets it.
  const both = await Promise.all([ask(`${books.url}/third`), ask(`${books.url}/third`)]);
  expect(both.map((reply) => ("code" in reply ? reply.code : reply.outcome)).toSorted()).toEqual([
    "done",
    "webhook_url_in_use",
  ]);
  expect(await ask(`${books.url}/fourth`)).toMatchObject({ outcome: "problem", code: "too_many_webhooks" });
  expect(await ask("http://shop.example/")).toMatchObject({ code: "validation_failed" });

  const name = { merchantId, endpointId };
  const change = (changes: { url?: string; events?: ["refund.requested"] }) =>
    harness.operate(operations.changeMerchantWebhook.command, { ...name, ...changes });
  expect(await change({ url: shop.url })).toMatchObject(inUse);
  expect(await change({ url: "https://10.0.0.1/" })).toMatchObject({ code: "validation_failed" });
  expect(await change({ url: `${books.url}/moved`, events: ["refund.requested"] })).toMatchObject({
    result: { endpointId, url: `${books.url}/moved`, events: ["refund.requested"] },
  });
  const unknown = { outcome: "problem", code: "webhook_not_found" };
  const strangers = { merchantId: randomUUIDv7(), endpointId };
  const { publicKey: recipientKey } = createReplyRecipient();
  expect(await harness.operate(operations.changeMerchantWebhook.command, strangers)).toMatchObject(unknown);
  expect(
    await harness.operate(operations.rotateWebhookEndpointSecret.command, { ...strangers, recipientKey }),
  ).toMatchObject(unknown);
  expect(await harness.operate(operations.removeMerchantWebhook.command, strangers)).toMatchObject(unknown);
  expect(await harness.operate(operations.testWebhookEndpoint.command, strangers)).toMatchObject(unknown);
  expect((await endpointsOf(harness, merchantId)).map((each) => each.default)).toEqual([true, false, false]);
});

test("an endpoint that is turned off cancels its own deliveries; its place and URL are free again", async () => {
  const { merchantId } = await harness.enable(shop.url);
  const { endpointId } = await addEndpoint(harness, merchantId, { url: books.url });
  for (const receiver of [shop, books]) receiver.behave({ kind: "status", status: 503 });
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await eventually(() => expect(Math.min(shop.ledger.length, books.ledger.length)).toBeGreaterThan(0));
  expect(
    await harness.operate(operations.removeMerchantWebhook.command, { merchantId, endpointId }),
  ).toMatchObject({
    outcome: "done",
  });
  await eventually(async () =>
    expect(await statuses(event.eventId)).toEqual({ [merchantId]: "pending", [endpointId]: "cancelled" }),
  );
  const again = await addEndpoint(harness, merchantId, { url: books.url });
  expect((await endpointsOf(harness, merchantId)).map((each) => each.endpointId)).toEqual([
    merchantId,
    again.endpointId,
  ]);

  // The default endpoint is removed in the same way, and the other one stays.
  await harness.disable(merchantId);
  books.behave({ kind: "status", status: 200 });
  const next = newEvent({ merchantId });
  await harness.publish(next);
  await eventually(async () =>
    expect(await statuses(next.eventId)).toEqual({
      [merchantId]: "skipped",
      [again.endpointId]: "delivered",
    }),
  );
  await eventually(async () =>
    expect(await statuses(event.eventId)).toEqual({ [merchantId]: "cancelled", [endpointId]: "cancelled" }),
  );
});

test("the hour after it was turned off, an endpoint without deliveries is removed with its secret", async () => {
  const { merchantId } = await harness.enable(shop.url);
  const { endpointId } = await addEndpoint(harness, merchantId, { url: books.url });
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await eventually(() => expect(sentTo(books)).toEqual([event.eventId]));
  await harness.operate(operations.removeMerchantWebhook.command, { merchantId, endpointId });
  const rows = () => harness.query("select 1 from webhooks.endpoint where endpoint_id = $1", [endpointId]);
  expect(await rows()).toHaveLength(1);
  await harness.query(
    "update webhooks.endpoint set updated_at = now() - interval '61 minutes' where endpoint_id = $1",
    [endpointId],
  );
  await eventually(async () => expect(await rows()).toEqual([]));
  expect(await logOf(endpointId)).toEqual([event.eventId]);
});

test("a resend goes to the endpoint that is named, to all that the event was for, or to where it failed", async () => {
  const { merchantId } = await harness.enable(shop.url);
  const early = newEvent({ merchantId });
  await harness.publish(early);
  await eventually(() => expect(sentTo(shop)).toEqual([early.eventId]));
  const { endpointId } = await addEndpoint(harness, merchantId, { url: books.url });

  // The endpoint came after the event: it gets it by name, and then it belongs to all.
  const { eventId } = early;
  expect(await harness.operate(operations.redeliverWebhook.command, { eventId })).toMatchObject({
    result: { queued: 1 },
  });
  await eventually(() => expect(shop.ledger).toHaveLength(2));
  expect(await harness.operate(operations.redeliverWebhook.command, { eventId, endpointId })).toMatchObject({
    result: { queued: 1 },
  });
  await eventually(async () =>
    expect(await statuses(eventId)).toEqual({ [merchantId]: "delivered", [endpointId]: "delivered" }),
  );
  expect([shop.ledger.length, books.ledger.length]).toEqual([2, 1]);
  expect(await harness.operate(operations.redeliverWebhook.command, { eventId })).toMatchObject({
    result: { queued: 2 },
  });
  await eventually(() => expect([shop.ledger.length, books.ledger.length]).toEqual([3, 2]));
  const stranger = { eventId, endpointId: randomUUIDv7() };
  expect(await harness.operate(operations.redeliverWebhook.command, stranger)).toMatchObject({
    code: "webhook_not_found",
  });

  // An event of two days ago that books has never taken has failed there, and there alone.
  books.behave({ kind: "status", status: 500 });
  const old = newEvent({ merchantId, at: Date.now() - 2.5 * 86_400_000 });
  await harness.publish(old);
  await eventually(async () =>
    expect(await statuses(old.eventId)).toEqual({ [merchantId]: "delivered", [endpointId]: "failed" }),
  );
  expect(await logOf(endpointId, { status: "failed" })).toEqual([old.eventId]);
  expect(await logOf(merchantId, { status: "failed" })).toEqual([]);
  expect(await logOf(merchantId, { merchantId: randomUUIDv7() })).toEqual([]);
  books.behave({ kind: "status", status: 200 });
  const since = new Date(Date.now() - 3 * 86_400_000).toISOString();
  const before = shop.ledger.length;
  expect(
    await harness.operate(operations.redeliverFailedWebhooks.command, { merchantId, since }),
  ).toMatchObject({
    result: { queued: 1 },
  });
  await eventually(async () =>
    expect(await statuses(old.eventId)).toEqual({ [merchantId]: "delivered", [endpointId]: "delivered" }),
  );
  expect(shop.ledger).toHaveLength(before);
});

test("a change that was made from an older version is refused, and a copy of one that was made is none", async () => {
  const { merchantId } = await harness.enable(shop.url);
  const name = { merchantId, endpointId: merchantId };
  const change = (changes: { version?: number; url?: string; events?: ["refund.requested"] }) =>
    harness.operate(operations.changeMerchantWebhook.command, { ...name, ...changes });
  const versions = async () => (await endpointsOf(harness, merchantId)).map(({ version }) => version);
  const refused = { outcome: "problem", code: "changed_since_read" };
  expect(await versions()).toEqual([1]);
  const moved = { version: 1, url: `${shop.url}/moved` };
  expect(await change(moved)).toMatchObject({ result: { url: moved.url, version: 2 } });
  expect(await change(moved)).toMatchObject({ result: { url: moved.url, version: 2 } });
  expect(await change({ version: 1, events: ["refund.requested"] })).toEqual(refused);
  expect(await change({ version: 3, events: ["refund.requested"] })).toEqual(refused);
  // Switching the endpoint or rotating its secret changes nothing that a form has.
  const off = { ...name, enabled: false, whileOff: "wait" } as const;
  await harness.operate(operations.changeMerchantWebhook.command, off);
  expect(await versions()).toEqual([2]);
  const together = await Promise.all(
    ["a", "b"].map((path) => change({ version: 2, url: `${shop.url}/${path}` })),
  );
  expect(together.filter(({ outcome }) => outcome === "problem")).toEqual([refused]);
  expect(await change({ url: shop.url })).toMatchObject({ result: { url: shop.url, version: 4 } });
});
