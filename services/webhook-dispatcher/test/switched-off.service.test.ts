import { operations } from "@holdfast/contracts";
import { eventually, type LedgerReceiver } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createClock } from "../src/clock.ts";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { addEndpoint, endpointsOf } from "./endpoints.ts";
import { newEvent } from "./events.ts";

// The clock that schedules go by jumps instead of waiting. Each test has merchants and receivers of its own.
const H = 3_600_000;
const DAY = 24 * H;

let harness: DispatcherHarness;
let shiftMs = 0;
beforeAll(async () => {
  harness = await startDispatcherHarness(
    {
      WEBHOOK_RETRY_SCHEDULE: "10m",
      WEBHOOK_ATTEMPT_TIMEOUT: "60s",
      WEBHOOK_LEASE: "5m",
      WEBHOOK_EVENT_RETENTION_DAYS: "5",
    },
    {
      overrides: { clock: createClock(() => shiftMs), connectMaxMs: 60_000 },
      now: () => Date.now() + shiftMs,
    },
  );
});
afterAll(() => harness.close());
beforeEach(() => {
  shiftMs = 0;
});

type Change = { enabled: boolean; whileOff?: "wait" | "skip"; waiting?: "deliver" | "discard"; url?: string };
const change = (merchantId: string, asked: Change, endpointId = merchantId) =>
  harness.operate(operations.changeMerchantWebhook.command, { merchantId, endpointId, ...asked });
const OFF = { enabled: false, whileOff: "wait" } as const;
const DELIVER = { enabled: true, waiting: "deliver" } as const;
const DISCARD = { enabled: true, waiting: "discard" } as const;

const idsOf = (events: { eventId: string }[]) => events.map(({ eventId }) => eventId).toSorted();
const sentTo = ({ ledger }: LedgerReceiver) =>
  ledger.map(({ headers }) => String(headers["x-event-id"])).toSorted();
const several = (merchantId: string, count: number) =>
  Array.from({ length: count }, () => newEvent({ merchantId, at: Date.now() + shiftMs }));
const statusOf = async (eventId: string) => (await harness.delivery(eventId)).status;
const waitsAt = (endpointId: string, count: number, more = "true") =>
  eventually(async () =>
    expect(
      await harness.query(
        `select from webhooks.delivery where endpoint_id = $1 and lease_token is null and ${more}`,
        [endpointId],
      ),
    ).toHaveLength(count),
  );

/** An endpoint at which these have failed once, and wait for their next attempt. */
async function withFailed(count: number) {
  const receiver = await harness.startReceiver();
  receiver.behave({ kind: "status", status: 503 });
  const { merchantId } = await harness.enable(receiver.url);
  const events = several(merchantId, count);
  await harness.publish(...events);
  await waitsAt(merchantId, count, "attempt = 2");
  receiver.ledger.length = 0;
  receiver.behave({ kind: "status", status: 200 });
  return { receiver, merchantId, events };
}

/** Deliveries that are due are sent by then. */
async function isSending() {
  const other = await harness.startReceiver();
  const { merchantId } = await harness.enable(other.url);
  const [event] = several(merchantId, 1);
  await harness.publish(event!);
  await eventually(() => expect(sentTo(other)).toEqual([event!.eventId]));
}

test("off for an hour under load and through a restart of the dispatcher, an endpoint gets all that waited, each once", async () => {
  const { receiver, merchantId, events } = await withFailed(5);
  expect(await change(merchantId, OFF)).toMatchObject({
    result: { enabled: false, whileOff: "wait", waitingCount: 5 },
  });
  events.push(...several(merchantId, 40));
  await harness.publish(...events.slice(5));
  await harness.stopAll();
  shiftMs = H / 2;
  events.push(...several(merchantId, 40));
  await harness.publish(...events.slice(45));
  await harness.start();
  await waitsAt(merchantId, 85);
  shiftMs = H;
  await isSending();
  expect(sentTo(receiver)).toEqual([]);
  const [first] = events
    .map(({ eventId }) => parseInt(eventId.replaceAll("-", "").slice(0, 12), 16))
    .toSorted();
  const [listed] = await endpointsOf(harness, merchantId);
  expect(listed).toMatchObject({
    enabled: false,
    waitingCount: 85,
    waitingUntil: new Date(Math.floor(first! / DAY) * DAY + 6 * DAY).toISOString(),
  });

  // Twice, as a client does that got no answer.
  for (const reply of await Promise.all([change(merchantId, DELIVER), change(merchantId, DELIVER)]))
    expect(reply).toMatchObject({ result: { enabled: true } });
  const late = several(merchantId, 3);
  await harness.publish(...late);
  await waitsAt(merchantId, 0, "true");
  await eventually(() => expect(sentTo(receiver)).toEqual(idsOf([...events, ...late])));
  for (const { eventId } of events)
    await eventually(async () => expect(await statusOf(eventId)).toBe("delivered"));
  expect(sentTo(receiver)).toHaveLength(88);
  const [on] = await endpointsOf(harness, merchantId);
  expect(on).toMatchObject({ enabled: true, waitingCount: 0 });
  for (const field of ["whileOff", "waitingUntil"]) expect(on).not.toHaveProperty(field);
});

test("what waits is discarded where its owner says so, also under a lease of a process that died", async () => {
  const { receiver, merchantId, events } = await withFailed(2);
  await change(merchantId, OFF);
  const waiting = several(merchantId, 3);
  await harness.publish(...waiting);
  await waitsAt(merchantId, 5);
  await harness.query(
    `update webhooks.delivery set lease_token = gen_random_uuid(), lease_until = now() + interval '5 minutes'
     where event_id = $1`,
    [waiting[0]!.eventId],
  );
  // A request that is refused discards nothing.
  const books = await addEndpoint(harness, merchantId, { url: harness.receiver.url });
  expect(await change(merchantId, { ...DISCARD, url: harness.receiver.url })).toMatchObject({
    code: "webhook_url_in_use",
  });
  await waitsAt(merchantId, 4);
  expect(await change(merchantId, DISCARD, books.endpointId)).toMatchObject({ outcome: "done" });
  await waitsAt(merchantId, 4);

  expect(await change(merchantId, DISCARD)).toMatchObject({ result: { enabled: true } });
  for (const { eventId } of [...events, ...waiting])
    await eventually(async () => expect(await statusOf(eventId)).toBe("cancelled"));
  const next = several(merchantId, 2);
  await harness.publish(...next);
  await eventually(() => expect(sentTo(receiver)).toEqual(idsOf(next)));
  const [line] = await harness.query<{ detail: string }>(
    "select detail from webhooks.audit_entry where subject = $1 and action = 'webhook.switched_on'",
    [merchantId],
  );
  expect(JSON.parse(line!.detail)).toMatchObject({
    endpointId: merchantId,
    waiting: "discard",
    discarded: 5,
  });
});

test("what comes while it is off is skipped where its owner says so, and what waited before waits", async () => {
  const { receiver, merchantId, events } = await withFailed(2);
  const books = await harness.startReceiver();
  const { endpointId } = await addEndpoint(harness, merchantId, { url: books.url });
  for (const id of [merchantId, endpointId])
    expect(await change(merchantId, { enabled: false, whileOff: "skip" }, id)).toMatchObject({
      result: { enabled: false, whileOff: "skip" },
    });
  const skipped = several(merchantId, 2);
  await harness.publish(...skipped);
  for (const { eventId } of skipped)
    await eventually(async () =>
      expect((await harness.delivery(eventId)).endpoints).toMatchObject([
        { endpointId: merchantId, status: "skipped" },
        { endpointId, status: "skipped" },
      ]),
    );
  expect(await endpointsOf(harness, merchantId)).toMatchObject([{ waitingCount: 2 }, { waitingCount: 0 }]);
  for (const id of [merchantId, endpointId]) await change(merchantId, DELIVER, id);
  const next = several(merchantId, 1);
  await harness.publish(...next);
  await eventually(() => expect(sentTo(receiver)).toEqual(idsOf([...events, ...next])));
  await eventually(() => expect(sentTo(books)).toEqual(idsOf(next)));
});

test("what waits outlasts the 48 hours, and is retried for as long again; it ends with the events that are kept", async () => {
  const { receiver, merchantId, events } = await withFailed(1);
  await change(merchantId, OFF);
  events.push(...several(merchantId, 1));
  await harness.publish(events[1]!);
  await waitsAt(merchantId, 2);
  shiftMs = 60 * H;
  await isSending();
  for (const { eventId } of events) {
    const { status, nextAttemptAt, deadlineAt } = await harness.delivery(eventId);
    expect({ status, nextAttemptAt }).toEqual({ status: "pending", nextAttemptAt: undefined });
    expect(Date.parse(deadlineAt)).toBeGreaterThan(Date.now() + 5 * DAY);
  }
  receiver.behave({ kind: "status", status: 500 });
  await change(merchantId, DELIVER);
  await eventually(() => expect(sentTo(receiver)).toHaveLength(2));
  await waitsAt(merchantId, 2);
  receiver.behave({ kind: "status", status: 200 });
  shiftMs = 61 * H;
  for (const { eventId } of events)
    await eventually(async () => expect(await statusOf(eventId)).toBe("delivered"));
  expect(sentTo(receiver)).toHaveLength(4);

  shiftMs = 0;
  await change(merchantId, OFF);
  const lost = several(merchantId, 1);
  await harness.publish(...lost);
  await waitsAt(merchantId, 1);
  shiftMs = 7 * DAY;
  await eventually(async () => expect(await statusOf(lost[0]!.eventId)).toBe("cancelled"));
  expect(sentTo(receiver)).toHaveLength(4);
});

test("what waited at a default endpoint that was removed never reaches the one that is added in its place", async () => {
  const { receiver, merchantId, events } = await withFailed(1);
  await change(merchantId, OFF);
  await harness.query(
    `update webhooks.delivery set lease_token = gen_random_uuid(), lease_until = now() + interval '1 day'
     where endpoint_id = $1`,
    [merchantId],
  );
  await harness.disable(merchantId);
  await harness.enable(receiver.url, merchantId);
  expect(await statusOf(events[0]!.eventId)).toBe("cancelled");
  const next = several(merchantId, 1);
  await harness.publish(...next);
  await eventually(() => expect(sentTo(receiver)).toEqual(idsOf(next)));
});

test("an endpoint that is off gets tests and no resends, and a resend that waited is no second time", async () => {
  const { receiver, merchantId, events } = await withFailed(3);
  const waiting = { merchantId, endpointId: merchantId };
  await change(merchantId, OFF);
  // Resends that were asked for before, behind an open breaker.
  await harness.query(
    `insert into webhooks.delivery (event_id, occurred_at, endpoint_id, trigger, due_at, deadline_at)
     select event_id, occurred_at, endpoint_id, 'manual', now(), deadline_at from webhooks.delivery where endpoint_id = $1`,
    [merchantId],
  );
  for (const request of [waiting, { merchantId }, { ...waiting, since: new Date(0).toISOString() }])
    expect(await harness.operate(operations.redeliverFailedWebhooks.command, request)).toMatchObject({
      code: "webhook_switched_off",
    });
  const [{ eventId }] = events as [(typeof events)[0]];
  for (const request of [{ eventId }, { eventId, endpointId: merchantId }])
    expect(await harness.operate(operations.redeliverWebhook.command, request)).toMatchObject({
      code: "webhook_switched_off",
    });
  const tried = await harness.operate(operations.testWebhookEndpoint.command, waiting);
  expect(tried).toMatchObject({ result: { delivered: true } });
  await isSending();
  expect(receiver.ledger.map(({ headers }) => headers["x-event-type"])).toEqual(["webhook.test"]);
  receiver.ledger.length = 0;
  await change(merchantId, DELIVER);
  for (const each of events)
    await eventually(async () => expect(await statusOf(each.eventId)).toBe("delivered"));
  expect(sentTo(receiver)).toEqual(idsOf(events));
});

test("the merchant's other endpoints and the audit log say that one was switched off and on", async () => {
  const { receiver, merchantId } = await withFailed(1);
  const books = await harness.startReceiver();
  const { endpointId } = await addEndpoint(harness, merchantId, {
    url: books.url,
    events: ["webhook.disabled_warning"],
  });
  await change(merchantId, OFF);
  await change(merchantId, OFF);
  await change(merchantId, { enabled: false, whileOff: "skip" });
  await change(merchantId, DELIVER);
  await eventually(() => expect(sentTo(books)).toHaveLength(2));
  expect(books.ledger.map(({ body }) => JSON.parse(body.toString()))).toEqual([
    { endpointId: merchantId, default: true, reason: "SWITCHED_OFF", by: "operators" },
    { endpointId: merchantId, default: true, reason: "SWITCHED_ON", by: "operators" },
  ]);
  expect(
    receiver.ledger.filter(({ headers }) => headers["x-event-type"] === "webhook.disabled_warning"),
  ).toEqual([]);
  const lines = await harness.query<{ action: string; detail: string }>(
    "select action, detail from webhooks.audit_entry where subject = $1 and action like 'webhook.switched%' order by sequence",
    [merchantId],
  );
  expect(lines.map(({ action, detail }) => [action, JSON.parse(detail)])).toMatchObject([
    ["webhook.switched_off", { endpointId: merchantId, whileOff: "wait" }],
    ["webhook.switched_off", { endpointId: merchantId, whileOff: "skip" }],
    ["webhook.switched_on", { endpointId: merchantId, waiting: "deliver" }],
  ]);
  expect(await change(merchantId, OFF, endpointId)).toMatchObject({ result: { endpointId, enabled: false } });
  const stranger = await harness.enable();
  expect(await change(stranger.merchantId, DELIVER, endpointId)).toMatchObject({ code: "webhook_not_found" });
});
