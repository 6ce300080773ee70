// The delivery log as people use it: order numbers, errors, hidden deliveries, and the body for authorized
// people.
import { randomUUID, randomUUIDv7 } from "node:crypto";
import { operations, staffVersionOf, type StaffRole, type WebhookDeliveryStatus } from "@holdfast/contracts";
import { eventually, STAFF_AUDIENCE } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startDispatcherHarness, type DispatcherHarness } from "./dispatcher-harness.ts";
import { newEvent } from "./events.ts";

let harness: DispatcherHarness;
beforeAll(async () => {
  harness = await startDispatcherHarness({ WEBHOOK_RETRY_SCHEDULE: "200ms" });
});
afterAll(() => harness.close());
beforeEach(() => harness.receiver.behave({ kind: "status", status: 200 }));

type Asked = {
  merchantId: string;
  hide?: "skipped";
  status?: WebhookDeliveryStatus;
  limit?: number;
  cursor?: string | undefined;
};

async function page({ limit = 50, ...asked }: Asked) {
  const reply = await harness.operate(operations.listWebhookDeliveries.command, { limit, ...asked });
  if (reply.outcome !== "done") throw new Error(JSON.stringify(reply));
  return reply.result;
}
const list = async (asked: Asked) => (await page(asked)).items;

const becomes = (eventId: string, status: WebhookDeliveryStatus) =>
  eventually(async () => expect((await harness.delivery(eventId)).status).toBe(status));

test("a delivery has its order's number, and why its latest attempt failed until one succeeds", async () => {
  harness.receiver.behave({ kind: "status", status: 503 });
  const { merchantId } = await harness.enable();
  const body = Buffer.from(JSON.stringify({ status: "SUCCESS", orderId: "Sipariş 7" }));
  const event = newEvent({ merchantId, body });
  await harness.publish(event);
  const { eventId } = event;
  const failed = { eventId, orderId: "Sipariş 7", lastError: "status", lastStatusCode: 503 };
  await eventually(async () => expect(await list({ merchantId })).toMatchObject([failed]));
  expect(await harness.delivery(eventId)).toMatchObject(failed);

  harness.receiver.behave({ kind: "status", status: 204 });
  await becomes(eventId, "delivered");
  const [delivered] = await list({ merchantId });
  expect(delivered).toMatchObject({ orderId: "Sipariş 7", lastStatusCode: 204 });
  expect(delivered).not.toHaveProperty("lastError");
});

test("an event whose body has no order number, or is no JSON, is in the log without one", async () => {
  const { merchantId } = await harness.enable();
  const bodies = ['{"orderId":7}', "[null]", "no JSON"];
  const events = bodies.map((body) => newEvent({ merchantId, body: Buffer.from(body) }));
  await harness.publish(...events);
  for (const { eventId } of events) await becomes(eventId, "delivered");
  const items = await list({ merchantId });
  expect(items).toHaveLength(bodies.length);
  for (const item of items) expect(item).not.toHaveProperty("orderId");
});

test("what was skipped is left out where it is asked so, unless a status is asked for", async () => {
  const merchantId = randomUUIDv7();
  const skipped = [newEvent({ merchantId }), newEvent({ merchantId })];
  await harness.publish(...skipped);
  for (const { eventId } of skipped) await becomes(eventId, "skipped");
  await harness.enable(undefined, merchantId);
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await becomes(event.eventId, "delivered");
  const idsOf = async (asked: Omit<Asked, "merchantId">) =>
    (await list({ merchantId, ...asked })).map(({ eventId }) => eventId).toSorted();
  const hidden = skipped.map(({ eventId }) => eventId).toSorted();
  expect(await idsOf({ hide: "skipped" })).toEqual([event.eventId]);
  expect(await idsOf({})).toEqual([...hidden, event.eventId].toSorted());
  expect(await idsOf({ hide: "skipped", status: "skipped" })).toEqual(hidden);
});

/** Events of the next seconds, which no endpoint wanted. */
async function insertSkipped(merchantId: string, count: number): Promise<void> {
  await harness.query(
    `with made as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       select uuid_extract_timestamp(id), id, 'payments', 'payment.status_changed', $1::uuid, gen_random_uuid(), 'SUCCESS', '{}'
       from generate_series(1, $2::int) as number, uuidv7(make_interval(secs => 1 + number * 0.001)) as id
       returning occurred_at, event_id, merchant_id
     )
     insert into webhooks.outcome (endpoint_id, occurred_at, event_id, outcome)
     select merchant_id, occurred_at, event_id, 'skipped' from made`,
    [merchantId, count],
  );
}

test("behind thousands that were skipped the list continues on the next page", async () => {
  const { merchantId } = await harness.enable();
  const events = [newEvent({ merchantId }), newEvent({ merchantId })];
  await harness.publish(...events);
  for (const { eventId } of events) await becomes(eventId, "delivered");
  await insertSkipped(merchantId, 2_500);
  const asked = { merchantId, hide: "skipped", limit: 5 } as const;
  const first = await page(asked);
  expect(first.items).toEqual([]);
  expect(first.nextCursor).toBeDefined();
  const second = await page({ ...asked, cursor: first.nextCursor });
  expect(second.items.map(({ eventId }) => eventId).toSorted()).toEqual(
    events.map(({ eventId }) => eventId).toSorted(),
  );
  expect(second).not.toHaveProperty("nextCursor");
});

const auditOf = (eventId: string) =>
  harness.query<{ actor: string; detail: string }>(
    "select actor, detail from webhooks.audit_entry where action = 'webhook.body_read' and subject = $1",
    [eventId],
  );

test("an operator with the role operations reads the body, which is audited, and nobody with another role", async () => {
  const { merchantId } = await harness.enable();
  const [event, long] = [newEvent({ merchantId }), newEvent({ merchantId, body: Buffer.alloc(70_000, "x") })];
  await harness.publish(event, long);
  for (const { eventId } of [event, long]) await becomes(eventId, "delivered");
  const { eventId, body } = event;
  const { command } = operations.getWebhookBody;
  const asViewer = await harness.operatorContext("vera", ["viewer"]);
  expect(await harness.request(command, asViewer, { eventId })).toMatchObject({ code: "forbidden" });
  expect(await harness.operate(command, { eventId: randomUUID() })).toMatchObject({
    code: "delivery_not_found",
  });
  expect(await auditOf(eventId)).toEqual([]);
  expect(await harness.operate(command, { eventId })).toEqual({
    outcome: "done",
    result: { eventId, body: body.toString(), bytes: body.length },
  });
  const lines = await auditOf(eventId);
  expect(lines).toMatchObject([{ actor: "olga" }]);
  expect(JSON.parse(lines[0]!.detail)).toMatchObject({ merchantId });
  expect(await harness.operate(command, { eventId: long.eventId })).toMatchObject({
    result: { body: "x".repeat(65_536), bytes: 70_000 },
  });
});

test("a developer of the merchant's staff reads its bodies, and no one of another merchant's", async () => {
  const { merchantId } = await harness.enable();
  const event = newEvent({ merchantId });
  await harness.publish(event);
  await becomes(event.eventId, "delivered");
  const { eventId, body } = event;
  const ask = async (merchant: string, role: StaffRole) =>
    await harness.request(
      staffVersionOf(operations.getWebhookBody.command),
      {
        requestId: randomUUID(),
        deadlineAt: Date.now() + 50_000,
        staff: {
          token: await harness.identity.token({
            claims: { aud: STAFF_AUDIENCE, sub: "mina", merchant_id: merchant, roles: [role] },
          }),
          livemode: true,
        },
        settings: {},
      },
      { eventId },
    );
  expect(await ask(randomUUIDv7(), "owner")).toMatchObject({ code: "delivery_not_found" });
  expect(await ask(merchantId, "support")).toMatchObject({ code: "forbidden" });
  expect(await ask(merchantId, "refunds")).toMatchObject({ code: "forbidden" });
  expect(await auditOf(eventId)).toEqual([]);
  expect(await ask(merchantId, "developer")).toMatchObject({ result: { body: body.toString() } });
  expect(await ask(merchantId, "owner")).toMatchObject({ outcome: "done" });
  const lines = await auditOf(eventId);
  expect(lines).toMatchObject([{ actor: "mina" }, { actor: "mina" }]);
  expect(JSON.parse(lines[0]!.detail)).toMatchObject({ merchantId, staffOf: merchantId });
});
