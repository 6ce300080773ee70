import { createHash, randomUUID, randomUUIDv7 } from "node:crypto";
import { readAuditEntries, verifyAuditChain, type AuditDatabase } from "@holdfast/audit";
import {
  EVENT_STREAM,
  eventSubject,
  operations,
  readAuditLog,
  WEBHOOK_CONSUMER,
  type EventSource,
} from "@holdfast/contracts";
import { createReplyRecipient } from "@holdfast/sealing";
import { eventually } from "@holdfast/tests/support";
import { verifyWebhook } from "@holdfast/webhook-signature";
import { jetstreamManager } from "@nats-io/jetstream";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { brokenPromises } from "./broken-promises.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent, type TestEvent } from "./events.ts";

let harness: DispatcherHarness;
beforeAll(async () => {
  harness = await startDispatcherHarness({ WEBHOOK_RETRY_SCHEDULE: "100ms,200ms,300ms" });
});
afterAll(() => harness.close());
beforeEach(() => {
  harness.receiver.behave({ kind: "status", status: 200 });
  harness.receiver.ledger.length = 0;
});

test("an event is taken over, sent with the owner's exact bytes, confirmed and logged", async () => {
  const { merchantId, secret } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  const delivery = await eventually(async () => {
    const found = await harness.delivery(event.eventId);
    expect(found.status).toBe("delivered");
    return found;
  });
  const [entry, ...more] = harness.receiver.ledger;
  expect(more).toEqual([]);
  expect(entry!.body.equals(event.body)).toBe(true);
  expect(verifyWebhook(entry!, { secret, now: Date.now() })).toMatchObject({
    valid: true,
    eventId: event.eventId,
    eventType: "payment.status_changed",
  });
  expect(entry!.headers).toMatchObject({
    "content-type": "application/json",
    "content-length": String(event.body.length),
  });
  await eventually(() => expect(harness.confirmed).toContain(event.eventId));
  expect(delivery).toMatchObject({
    merchantId,
    paymentId: event.paymentId,
    paymentStatus: "SUCCESS",
    attemptCount: 1,
    attempts: [
      {
        number: 1,
        trigger: "schedule",
        succeeded: true,
        statusCode: 200,
        requestTime: entry!.headers["x-request-time"],
        bodyHash: createHash("sha256").update(event.body).digest("hex"),
        secretVersion: 1,
        remoteAddress: "127.0.0.1",
      },
    ],
  });
  expect(delivery.attempts[0]!.signedPrefix).toBe(
    `${String(entry!.headers["x-request-time"])}:{"status":"SUCCESS", "paymentId"`,
  );
  expect(await harness.query("select 1 from webhooks.delivery where event_id = $1", [event.eventId])).toEqual(
    [],
  );
  const rules = {
    receivers: [{ merchantId, path: "/webhooks", secrets: [secret] }],
    retryDelaysMs: [100],
  };
  expect(await brokenPromises(harness, [event], rules)).toEqual([]);
});

test("a merchant without webhooks: the event is kept and skipped, and can be sent once they are on", async () => {
  const merchantId = randomUUIDv7();
  const [before, after] = [newEvent({ merchantId }), newEvent({ merchantId })];
  await harness.publish(before);
  await eventually(async () => expect((await harness.delivery(before.eventId)).status).toBe("skipped"));
  // Confirmations gather for a moment.
  await eventually(() => expect(harness.confirmed).toContain(before.eventId));
  expect(
    await harness.operate(operations.redeliverWebhook.command, { eventId: before.eventId }),
  ).toMatchObject({
    code: "webhook_not_found",
  });

  // The first event after webhooks were turned on must not be lost to a cache.
  await harness.enable(undefined, merchantId);
  await harness.publish(after);
  await eventually(async () => expect((await harness.delivery(after.eventId)).status).toBe("delivered"));
  expect(
    await harness.operate(operations.redeliverWebhook.command, { eventId: before.eventId }),
  ).toMatchObject({
    outcome: "done",
  });
  await eventually(async () => expect((await harness.delivery(before.eventId)).status).toBe("delivered"));
});

test("webhooks turned off: what waits is cancelled, nothing more is sent; on again there is a new secret", async () => {
  harness.receiver.behave({ kind: "status", status: 503 });
  const { merchantId, secret } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await eventually(() => expect(harness.receiver.ledger).not.toEqual([]));
  await harness.disable(merchantId);
  await eventually(async () => expect((await harness.delivery(event.eventId)).status).toBe("cancelled"));
  const sent = harness.receiver.ledger.length;
  const next = newEvent({ merchantId });
  await harness.publish(next);
  await eventually(async () => expect((await harness.delivery(next.eventId)).status).toBe("skipped"));
  expect(harness.receiver.ledger).toHaveLength(sent);
  const again = await harness.enable(undefined, merchantId);
  expect(again.secret).not.toBe(secret);
});

test("what is no event is kept with its reason, once, and holds up nobody", async () => {
  const { merchantId } = await harness.enable();
  const good = newEvent({ merchantId });
  const encoded = { ...good, body: good.body.toString("base64") };
  const poison = [
    "no json",
    "[]",
    JSON.stringify({ ...encoded, eventId: randomUUID() }),
    JSON.stringify({ ...encoded, eventId: randomUUIDv7(), status: "CAPTURED" }),
    JSON.stringify({ ...encoded, eventId: randomUUIDv7(), body: "not base64!" }),
  ];
  for (const data of poison) await harness.publishRaw(data);
  await harness.publish(good);
  await eventually(async () => expect((await harness.delivery(good.eventId)).status).toBe("delivered"));
  const rows = await eventually(async () => {
    const found = await harness.query<{ reason: string; data: Buffer; subject: string }>(
      "select reason, data, subject from webhooks.poison order by poison_id",
    );
    expect(found).toHaveLength(poison.length);
    return found;
  });
  expect(new Set(rows.map(({ data }) => data.toString()))).toEqual(new Set(poison));
  expect(rows.map(({ reason }) => reason.split(":")[0]).sort()).toEqual([
    "body",
    "event",
    "eventId",
    "not JSON",
    "status",
  ]);
  expect(harness.lines.filter(({ msg }) => String(msg).includes("poison"))).toHaveLength(poison.length);
  // The messages are terminated and do not come again.
  const { num_ack_pending } = await (
    await jetstreamManager(harness.bus.nats)
  ).consumers.info(EVENT_STREAM.name, WEBHOOK_CONSUMER);
  expect(num_ack_pending).toBe(0);
});

/** The body of a sale that has succeeded. */
const PAID = newEvent().body;

test.each<[string, EventSource, Partial<TestEvent>]>([
  ["claims another one's source", "settlement", {}],
  ["claims another one's source, of a refund", "refunds", {}],
  ["has a type that its source does not have", "settlement", { source: "settlement" }],
  ["is a refund's by its source and a payment's by its body", "refunds", { source: "refunds", body: PAID }],
])("an event that %s is not signed, and is kept as no event", async (_, publisher, forged) => {
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId, ...forged });
  const data = JSON.stringify({ ...event, body: event.body.toString("base64") });
  await harness.publishRaw(data, publisher);
  await eventually(async () => {
    const query = "select subject from webhooks.poison where data = $1";
    expect(await harness.query(query, [Buffer.from(data)])).toEqual([{ subject: eventSubject(publisher) }]);
  });
  // The owner's own event of this id is accepted in spite of the forged one.
  const own = newEvent({ merchantId, eventId: event.eventId });
  await harness.publish(own);
  await eventually(async () => expect((await harness.delivery(own.eventId)).status).toBe("delivered"));
  expect(harness.receiver.ledger.map(({ body }) => body)).toEqual([own.body]);
});

test("an old event of another's is not confirmed to its owner", async () => {
  const event = newEvent({ at: Date.now() - 200 * 86_400_000 });
  const data = JSON.stringify({ ...event, body: event.body.toString("base64") });
  await harness.publishRaw(data, "settlement");
  await harness.publishRaw(JSON.stringify({ ...event, body: "" }), "settlement");
  const own = newEvent();
  await harness.publish(own);
  // Confirmations go to an owner in the order of the events.
  await eventually(() => expect(harness.confirmed).toContain(own.eventId));
  expect(harness.confirmed).not.toContain(event.eventId);
});

test("an event that only the database refuses is set aside without its neighbours", async () => {
  const { merchantId } = await harness.enable();
  const neighbours = [newEvent({ merchantId }), newEvent({ merchantId })];
  await harness.query(
    "alter table webhooks.event add constraint refused check (payment_id <> '00000000-0000-4000-8000-000000000001') not valid",
  );
  const refused = newEvent({ merchantId, paymentId: "00000000-0000-4000-8000-000000000001" });
  await harness.publish(neighbours[0]!, refused, neighbours[1]!);
  for (const { eventId } of neighbours) {
    await eventually(async () => expect((await harness.delivery(eventId)).status).toBe("delivered"));
  }
  await eventually(async () =>
    expect(await harness.query("select 1 from webhooks.poison where reason like '%23514%'")).toHaveLength(1),
  );
  expect(harness.confirmed).not.toContain(refused.eventId);
});

test("of a list each event is judged by itself, and the list is acknowledged when all have ended", async () => {
  const { merchantId } = await harness.enable();
  const good = Array.from({ length: 20 }, () => newEvent({ merchantId }));
  const poisoned = randomUUID();
  const refused = newEvent({ merchantId, paymentId: "00000000-0000-4000-8000-000000000002" });
  await harness.query(
    "alter table webhooks.event add constraint refused_of_list check (payment_id <> '00000000-0000-4000-8000-000000000002') not valid",
  );
  const expired = newEvent({ merchantId, at: Date.now() - 200 * 86_400_000 });
  const copy = good[0]!;
  await harness.publishList(...good.slice(0, 10), poisoned, refused, expired, copy, ...good.slice(10));
  for (const { eventId } of good)
    await eventually(async () => expect((await harness.delivery(eventId)).status).toBe("delivered"));
  const ended = [...good, expired].map(({ eventId }) => eventId);
  await eventually(() => expect(harness.confirmed).toEqual(expect.arrayContaining(ended)));
  expect(harness.confirmed).not.toContain(refused.eventId);
  const poison = await eventually(async () => {
    const rows = await harness.query<{ message_key: string; data: Buffer }>(
      "select message_key, data from webhooks.poison order by poison_id desc limit 2",
    );
    expect(rows.map(({ data }) => data.toString())).toContainEqual(JSON.stringify(poisoned));
    return rows;
  });
  expect(poison.map(({ message_key }) => message_key)).toContain(`event:${refused.eventId}`);
  expect(harness.receiver.ledger).toHaveLength(good.length);
  await eventually(async () => {
    const manager = await jetstreamManager(harness.bus.nats);
    const { num_ack_pending } = await manager.consumers.info(EVENT_STREAM.name, WEBHOOK_CONSUMER);
    expect(num_ack_pending).toBe(0);
  });
});

test("a rotated secret signs beside the old one until it is activated, and alone from then on", async () => {
  const { merchantId, secret } = await harness.enable();
  const recipient = createReplyRecipient();
  const rotate = (requestId?: string) =>
    harness.operate(
      operations.rotateWebhookEndpointSecret.command,
      { merchantId, endpointId: merchantId, recipientKey: recipient.publicKey },
      "olga",
      requestId,
    );
  const reply = await rotate("rotation-1");
  if (reply.outcome !== "done") throw new Error("not rotated");
  const next = recipient.open(reply.result.secret);
  // A copy of the request on the bus generates no further secret.
  const copy = await rotate("rotation-1");
  expect(copy.outcome === "done" && recipient.open(copy.result.secret)).toBe(next);
  expect(Date.parse(reply.result.activatesAt) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);

  const sendOne = async () => {
    harness.receiver.ledger.length = 0;
    const event = newEvent({ merchantId });
    await harness.publish(event);
    const delivery = await eventually(async () => {
      const found = await harness.delivery(event.eventId);
      expect(found.status).toBe("delivered");
      return found;
    });
    return { entry: harness.receiver.ledger[0]!, attempt: delivery.attempts[0]! };
  };
  const during = await sendOne();
  expect(verifyWebhook(during.entry, { secret, now: Date.now() })).toMatchObject({ valid: true });
  expect(verifyWebhook(during.entry, { secret: next, now: Date.now() })).toMatchObject({
    reason: "signed_with_next_secret",
  });
  expect(during.entry.headers["x-request-signature"]).toMatch(/^[0-9a-f]{64}$/);
  expect(during.attempt).toMatchObject({ secretVersion: 1, nextSecretVersion: 2 });

  expect(
    await harness.operate(operations.activateWebhookEndpointSecret.command, {
      merchantId,
      endpointId: merchantId,
    }),
  ).toMatchObject({
    outcome: "done",
  });
  expect(
    await harness.operate(operations.activateWebhookEndpointSecret.command, {
      merchantId,
      endpointId: merchantId,
    }),
  ).toMatchObject({
    outcome: "done",
  });
  const after = await sendOne();
  expect(verifyWebhook(after.entry, { secret: next, now: Date.now() })).toMatchObject({ valid: true });
  expect(after.entry.headers).not.toHaveProperty("x-request-signature-next");
  expect(after.attempt).toMatchObject({ secretVersion: 2 });
});

test("URL and secret are those of the attempt, not those of the event", async () => {
  harness.receiver.behave({ kind: "status", status: 500 });
  const { merchantId } = await harness.enable();
  const elsewhere = await harness.startReceiver();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await eventually(() => expect(harness.receiver.ledger).not.toEqual([]));
  const recipientKey = createReplyRecipient().publicKey;
  expect(
    await harness.operate(operations.putMerchantWebhook.command, {
      merchantId,
      url: elsewhere.url,
      recipientKey,
    }),
  ).toMatchObject({
    result: { url: elsewhere.url },
  });
  await eventually(() => expect(elsewhere.ledger).toHaveLength(1));
});

test.each([
  ["http://localhost/", "not_https"],
  ["https://10.0.0.1/", "address_not_allowed"],
  ["https://[::ffff:a00:1]/", "address_not_allowed"],
  ["https://user:password@localhost/", "has_credentials"],
])("%s is refused: %s", async (url, code) => {
  const reply = await harness.operate(operations.putMerchantWebhook.command, {
    merchantId: randomUUIDv7(),
    url,
    recipientKey: createReplyRecipient().publicKey,
  });
  expect(reply).toMatchObject({
    outcome: "problem",
    code: "validation_failed",
    extra: { errors: [{ field: "url", code }] },
  });
});

test("a test event is signed, has a type of its own, and tells how it went", async () => {
  const { merchantId, secret } = await harness.enable();
  expect(
    await harness.operate(operations.testWebhookEndpoint.command, { merchantId, endpointId: merchantId }),
  ).toMatchObject({
    result: { delivered: true, statusCode: 200 },
  });
  const [entry] = harness.receiver.ledger;
  expect(verifyWebhook(entry!, { secret, now: Date.now() })).toMatchObject({
    valid: true,
    eventType: "webhook.test",
  });
  harness.receiver.behave({ kind: "status", status: 418, body: "no coffee" });
  expect(
    await harness.operate(operations.testWebhookEndpoint.command, { merchantId, endpointId: merchantId }),
  ).toMatchObject({
    result: { delivered: false, statusCode: 418, error: "status", responseSnippet: "no coffee" },
  });
  const stranger = randomUUIDv7();
  expect(
    await harness.operate(operations.testWebhookEndpoint.command, {
      merchantId: stranger,
      endpointId: stranger,
    }),
  ).toMatchObject({
    code: "webhook_not_found",
  });
});

test("the log is filtered and paged, newest first, and stays what it was while events are added", async () => {
  const { merchantId } = await harness.enable();
  const events = [];
  for (let index = 0; index < 5; index++) {
    const event = newEvent({ merchantId, at: Date.now() - 10_000 + index * 10 });
    events.unshift(event.eventId);
    await harness.publish(event);
  }
  const list = async (filter: object) => {
    const reply = await harness.operate(operations.listWebhookDeliveries.command, {
      merchantId,
      limit: 2,
      ...filter,
    });
    if (reply.outcome !== "done") throw new Error(JSON.stringify(reply));
    return reply.result;
  };
  await eventually(async () =>
    expect((await list({ limit: 10, status: "delivered" })).items).toHaveLength(5),
  );
  const first = await list({});
  await harness.publish(newEvent({ merchantId }));
  const second = await list({ cursor: first.nextCursor });
  const third = await list({ cursor: second.nextCursor });
  expect([...first.items, ...second.items, ...third.items].map(({ eventId }) => eventId)).toEqual(events);
  expect(third).not.toHaveProperty("nextCursor");
  expect((await list({ status: "failed" })).items).toEqual([]);
  expect(
    await harness.operate(operations.listWebhookDeliveries.command, { limit: 2, cursor: "x" }),
  ).toMatchObject({
    code: "validation_failed",
  });
  expect(
    await harness.operate(operations.getWebhookDelivery.command, { eventId: randomUUID() }),
  ).toMatchObject({
    code: "delivery_not_found",
  });
});

/** Starts another dispatcher, which gives up soon. */
async function startBrief(window = "1s"): Promise<DispatcherHarness> {
  const brief = await startDispatcherHarness({
    WEBHOOK_RETRY_SCHEDULE: "100ms,200ms,300ms",
    WEBHOOK_RETRY_WINDOW: window,
  });
  onTestFinished(() => brief.close());
  return brief;
}

test("all that failed since a time is sent again at once, each once", async () => {
  const harness = await startBrief();
  harness.receiver.behave({ kind: "status", status: 500 });
  const { merchantId } = await harness.enable();
  const old = newEvent({ merchantId, at: Date.now() - 60_000 });
  const fresh = [newEvent({ merchantId }), newEvent({ merchantId })];
  const since = new Date(Date.now() - 30_000).toISOString();
  await harness.publish(old, ...fresh);
  for (const { eventId } of [old, ...fresh]) {
    await eventually(async () => expect((await harness.delivery(eventId)).status).toBe("failed"));
  }
  harness.receiver.ledger.length = 0;
  harness.receiver.behave({ kind: "status", status: 200 });
  expect(await harness.operate(operations.redeliverFailedWebhooks.command, { merchantId, since })).toEqual({
    outcome: "done",
    result: { queued: 2 },
  });
  for (const { eventId } of fresh) {
    await eventually(async () => expect((await harness.delivery(eventId)).status).toBe("delivered"));
  }
  expect(harness.receiver.ledger).toHaveLength(2);
  expect((await harness.delivery(old.eventId)).status).toBe("failed");
});

test("each change is in the audit log under the operator's name; no secret is, nor in a log line, nor on the bus", async () => {
  const overheard: string[] = [];
  const subscription = harness.bus.nats.subscribe(">", {
    callback: (_error, message) => void overheard.push(message.string()),
  });
  const { merchantId, secret } = await harness.enable();
  const recipient = createReplyRecipient();
  const rotated = await harness.operate(operations.rotateWebhookEndpointSecret.command, {
    merchantId,
    endpointId: merchantId,
    recipientKey: recipient.publicKey,
  });
  const next = rotated.outcome === "done" ? recipient.open(rotated.result.secret) : "";
  await harness.operate(operations.activateWebhookEndpointSecret.command, {
    merchantId,
    endpointId: merchantId,
  });
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await eventually(async () => expect((await harness.delivery(event.eventId)).status).toBe("delivered"));
  await harness.operate(operations.redeliverWebhook.command, { eventId: event.eventId });
  await harness.operate(operations.testWebhookEndpoint.command, { merchantId, endpointId: merchantId });
  await harness.disable(merchantId);
  await harness.bus.nats.flush();
  subscription.unsubscribe();

  const reply = await harness.operate(readAuditLog.webhooks, { limit: 100 });
  if (reply.outcome !== "done") throw new Error("no audit log");
  const mine = reply.result.entries
    .filter(({ subject }) => subject === merchantId || subject === event.eventId)
    .toReversed();
  expect(mine.map(({ action }) => action)).toEqual([
    "webhook.turned_on",
    "webhook.secret_rotated",
    "webhook.secret_activated",
    "webhook.redelivered",
    "webhook.tested",
    "webhook.turned_off",
  ]);
  expect(mine.every(({ actor }) => actor === "olga")).toBe(true);
  const db = new Kysely<AuditDatabase>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: harness.database.superuserUrl }) }),
  });
  expect(await verifyAuditChain(readAuditEntries(db, "webhooks"))).toMatchObject({ intact: true });
  await db.destroy();

  const stored = await harness.query("select * from webhooks.endpoint, webhooks.audit_entry");
  const everything = JSON.stringify([overheard, harness.lines, stored]);
  expect(overheard.length).toBeGreaterThan(5);
  for (const text of [secret, next].flatMap((each) => [
    each,
    each.slice(4),
    Buffer.from(each).toString("base64").slice(0, 40),
  ])) {
    expect(everything).not.toContain(text);
  }
  expect(JSON.stringify(harness.lines)).not.toContain("cardHolderName");
});

test("an attempt is one line with what it was about and how it went", async () => {
  // Long enough for a first attempt on a busy machine.
  const harness = await startBrief("5s");
  harness.receiver.behave({ kind: "status", status: 502 });
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await eventually(async () => expect((await harness.delivery(event.eventId)).status).toBe("failed"));
  // Lines are written after the records. The last attempt's line says that it was the last, unless the next
  // one was planned and the window closed before it could start: then the reaper logs it.
  const { attemptCount } = await harness.delivery(event.eventId);
  const lines = await eventually(() => {
    const found = harness.lines.filter(({ eventId }) => eventId === event.eventId);
    expect(found).toHaveLength(attemptCount);
    const end = [found.at(-1)?.["msg"], ...harness.lines.map(({ msg }) => msg)];
    expect(
      end.some(
        (msg) => msg === "webhook failed for good" || msg === "deliveries reached the end of their window",
      ),
    ).toBe(true);
    return found;
  });
  expect(lines[0]).toMatchObject({
    level: "warn",
    merchantId,
    paymentId: event.paymentId,
    attempt: 1,
    trigger: "schedule",
    outcome: "status",
    statusCode: 502,
  });
});
