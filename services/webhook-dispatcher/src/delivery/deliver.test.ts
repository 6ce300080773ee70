import { createHash, randomBytes, randomUUID } from "node:crypto";
import { signWebhook, signWebhookV2 } from "@holdfast/webhook-signature";
import { expect, test } from "vitest";
import type { BusinessEvents } from "../business-events.ts";
import { createSecretOpener, encryptSecret } from "../endpoint/endpoint-secrets.ts";
import type { StoredEndpoint } from "../endpoint/stored-endpoint.ts";
import type { PostResult } from "../http-client/webhook-client.ts";
import { deliver, snippetText, type DeliverDeps } from "./deliver.ts";
import type { LeasedDelivery } from "./leased-delivery.ts";

const merchantId = randomUUID();
const secretKeys = { activeId: "k1", keys: new Map([["k1", randomBytes(32)]]) };
const NOW = 1_790_000_000_000;
const HOUR = 3_600_000;

const endpoint = (change: Partial<StoredEndpoint> = {}): StoredEndpoint => ({
  endpoint_id: merchantId,
  url: "https://shop.test/old",
  state: "on",
  max_in_flight: 8,
  secret: encryptSecret(secretKeys, merchantId, "whs_one"),
  secret_version: 1,
  next_secret: null,
  next_version: null,
  activates_at: null,
  headers: null,
  ...change,
});

const delivery = (change: Partial<LeasedDelivery> = {}): LeasedDelivery => ({
  deliveryId: randomUUID(),
  leaseToken: randomUUID(),
  leasedUntil: performance.now() + 30_000,
  eventId: randomUUID(),
  eventType: "payment.status_changed",
  occurredAt: new Date(NOW - 1_000),
  merchantId,
  endpointId: merchantId,
  paymentId: randomUUID(),
  paymentStatus: "SUCCESS",
  body: Buffer.from('{"a":1}'),
  traceparent: null,
  trigger: "schedule",
  attempt: 1,
  dueAt: new Date(NOW),
  deadlineAt: new Date(NOW + 48 * HOUR),
  endpoint: endpoint(),
  endpointReadAt: performance.now(),
  ...change,
});

/** A client that posts nothing and keeps the requests it got. */
function start({
  result = {},
  current,
  now = NOW,
}: { result?: Partial<PostResult>; current?: StoredEndpoint; now?: number } = {}) {
  const posted: { url: string; headers: Record<string, string>; body: Buffer }[] = [];
  let clock = now;
  const deps: DeliverDeps = {
    client: {
      async post(url, makeRequest) {
        // Connecting takes time.
        clock += 700;
        posted.push({ url, ...makeRequest() });
        return { durationMs: 5, statusCode: 200, ...result };
      },
      close: async () => {},
    },
    openSecrets: createSecretOpener(secretKeys),
    retry: { delaysMs: [30_000, 60_000] },
    clock: { now: () => clock, databaseNow: () => clock, shiftMs: 0, skewMs: 0, measured: () => {} },
    events: { attempted: () => {} } as unknown as BusinessEvents,
    readEndpoint: async () => current,
  };
  return { deps, posted };
}

test("the request time is that of the write, and the signature covers it and the body's bytes", async () => {
  const { deps, posted } = start();
  const given = delivery();
  const delivered = await deliver(deps, given);
  const time = String(NOW + 700);
  expect(posted[0]).toMatchObject({ url: "https://shop.test/old", body: given.body });
  expect(posted[0]!.headers).toEqual({
    "content-type": "application/json",
    "content-length": "7",
    "user-agent": "Holdfast-Webhooks/1",
    "x-request-time": time,
    "x-request-signature": signWebhook("whs_one", time, given.body),
    "x-request-signature-v2": signWebhookV2(
      "whs_one",
      { time, eventId: given.eventId, eventType: "payment.status_changed" },
      given.body,
    ),
    "x-event-id": given.eventId,
    "x-event-type": "payment.status_changed",
    "content-digest": `sha-256=:${createHash("sha256").update(given.body).digest("base64")}:`,
  });
  expect(delivered!.record).toMatchObject({
    request_time: time,
    number: 1,
    succeeded: true,
    retry_at: null,
    secret_version: 1,
  });
});

test("an endpoint that was read a while ago is read anew; one that is off by now is not called", async () => {
  const stale = delivery({ endpointReadAt: performance.now() - 1_001 });
  const moved = start({
    current: endpoint({
      url: "https://shop.test/new",
      secret: encryptSecret(secretKeys, merchantId, "whs_two"),
    }),
  });
  await deliver(moved.deps, stale);
  expect(moved.posted[0]).toMatchObject({ url: "https://shop.test/new" });
  const { headers, body } = moved.posted[0]!;
  expect(headers["x-request-signature"]).toBe(signWebhook("whs_two", headers["x-request-time"]!, body));
  for (const current of [endpoint({ state: "waiting" }), endpoint({ state: "removed" }), undefined]) {
    const off = start(current ? { current } : {});
    expect(await deliver(off.deps, stale)).toBeUndefined();
    expect(off.posted).toEqual([]);
  }
});

test("nothing is sent while the endpoint cannot be read, and the lease need not be kept", async () => {
  const { deps, posted } = start();
  const failed: unknown[] = [];
  const away = new Error("no database connection");
  const events = { sendFailed: (_: LeasedDelivery, error: unknown) => void failed.push(error) };
  const readEndpoint = () => Promise.reject(away);
  const stale = delivery({ endpointReadAt: performance.now() - 1_001 });
  const delivered = await deliver(
    { ...deps, events: events as Partial<BusinessEvents> as BusinessEvents, readEndpoint },
    stale,
  );
  expect([delivered, posted, failed]).toEqual([undefined, [], [away]]);
});

test("past the deadline only a first attempt of the schedule is made", async () => {
  const late = { now: NOW + 50 * HOUR };
  expect(await deliver(start(late).deps, delivery({ attempt: 2 }))).toBeUndefined();
  expect(await deliver(start(late).deps, delivery({ attempt: 1 }))).toBeDefined();
  expect(await deliver(start(late).deps, delivery({ attempt: 1, trigger: "manual" }))).toBeUndefined();
});

test("a failure is tried again by the table, counted from its end; by hand it is not", async () => {
  const failing = { result: { statusCode: 500, error: "status", snippet: Buffer.from("no") } } as const;
  const { record } = (await deliver(start(failing).deps, delivery({ attempt: 2 })))!;
  const gap = record.retry_at!.getTime() - (NOW + 700);
  expect(gap).toBeGreaterThanOrEqual(60_000);
  expect(gap).toBeLessThanOrEqual(63_001);
  expect(record).toMatchObject({
    succeeded: false,
    status_code: 500,
    error: "status",
    snippet: "no",
    number: 2,
  });
  const last = delivery({ deadlineAt: new Date(NOW + 10_000) });
  expect((await deliver(start(failing).deps, last))!.record.retry_at).toBeNull();
  const manual = (await deliver(start(failing).deps, delivery({ trigger: "manual" })))!.record;
  expect(manual).toMatchObject({ retry_at: null, number: null });
});

test("while a rotated secret waits, both digests are sent, each in its header", async () => {
  const rotating = endpoint({
    next_secret: encryptSecret(secretKeys, merchantId, "whs_next"),
    next_version: 2,
    activates_at: new Date(NOW + HOUR),
  });
  const { deps, posted } = start();
  const { record } = (await deliver(deps, delivery({ endpoint: rotating })))!;
  const { headers, body } = posted[0]!;
  const time = headers["x-request-time"]!;
  expect(headers["x-request-signature"]).toBe(signWebhook("whs_one", time, body));
  expect(headers["x-request-signature-next"]).toBe(signWebhook("whs_next", time, body));
  const event = { time, eventId: headers["x-event-id"]!, eventType: headers["x-event-type"]! };
  expect(headers["x-request-signature-v2-next"]).toBe(signWebhookV2("whs_next", event, body));
  expect(record).toMatchObject({ secret_version: 1, next_version: 2 });
  const later = start({ now: NOW + HOUR });
  await deliver(later.deps, delivery({ endpoint: rotating }));
  expect(later.posted[0]!.headers).not.toHaveProperty("x-request-signature-next");
});

test("whatever a receiver answers can be stored and shown", () => {
  expect(snippetText(Buffer.from([0, 27, 0xff, 65, 10]))).toBe("\uFFFD\uFFFD\uFFFDA\n");
  expect(snippetText(Buffer.alloc(0))).toBeNull();
  expect(snippetText(undefined)).toBeNull();
});
