import { randomUUID, randomUUIDv7 } from "node:crypto";
import { operations, type CommandReply, type WebhookDelivery } from "@holdfast/contracts";
import { connectBus, handler, type Incoming } from "@holdfast/messaging";
import { sealReply } from "@holdfast/sealing";
import { serveCommands } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

type Reply = CommandReply<never>;
type Received = { name: string; operator: unknown; payload: Record<string, unknown> };

let gateway: TestGateway;
let merchantId: string;
let dispatcher: Awaited<ReturnType<typeof serveCommands>>;
const received: Received[] = [];
/** The answer of the simulated dispatcher, instead of its usual one. */
let refusal: Reply | undefined;

const eventId = randomUUIDv7();
const delivery: WebhookDelivery = {
  eventId,
  eventType: "payment.status_changed",
  merchantId: randomUUID(),
  paymentId: randomUUID(),
  paymentStatus: "SUCCESS",
  endpointId: randomUUID(),
  livemode: true,
  status: "pending",
  occurredAt: "2026-11-20T12:00:00.000Z",
  deadlineAt: "2026-11-22T12:00:00.000Z",
  remainingSeconds: 100,
  attemptCount: 1,
};
let secretOfPut: string | undefined;

beforeAll(async () => {
  gateway = await startTestGateway();
  ({ merchantId } = await gateway.createMerchant());
  const note =
    <Result>(name: string, answer: (payload: Record<string, unknown>) => Result) =>
    async ({ context, payload }: Incoming<unknown, unknown>) => {
      received.push({
        name,
        operator: (context as { operator: unknown }).operator,
        payload: payload as Record<string, unknown>,
      });
      return refusal ?? { outcome: "done" as const, result: answer(payload as Record<string, unknown>) };
    };
  const sealed = ({ recipientKey }: Record<string, unknown>, text: string) =>
    sealReply(recipientKey as string, text);
  dispatcher = await serveCommands(gateway.nats.url, "webhooks", [
    handler(
      operations.putMerchantWebhook.command,
      note("put", (payload) => ({
        url: payload["url"] as string,
        ...(secretOfPut !== undefined && { secret: sealed(payload, secretOfPut) }),
      })),
    ),
    handler(
      operations.removeMerchantWebhook.command,
      note("remove", () => ({})),
    ),
    handler(
      operations.rotateWebhookEndpointSecret.command,
      note("rotate", (payload) => ({
        secret: sealed(payload, "whs_new"),
        activatesAt: "2026-11-21T12:00:00.000Z",
      })),
    ),
    handler(
      operations.activateWebhookEndpointSecret.command,
      note("activate", () => ({})),
    ),
    handler(
      operations.testWebhookEndpoint.command,
      note("test", () => ({ eventId, delivered: false, error: "tls" as const, durationMs: 7 })),
    ),
    handler(
      operations.listWebhookDeliveries.command,
      note("list", () => ({ items: [delivery], nextCursor: "abc" })),
    ),
    handler(
      operations.getWebhookDelivery.command,
      note("get", () => ({ ...delivery, endpoints: [], attempts: [] })),
    ),
    handler(
      operations.getWebhookBody.command,
      note("body", () => ({ eventId, body: '{"orderId":"A-1"}', bytes: 17 })),
    ),
    handler(
      operations.redeliverWebhook.command,
      note("redeliver", () => ({ queued: 1 })),
    ),
    handler(
      operations.redeliverFailedWebhooks.command,
      note("redeliver-failed", () => ({ queued: 3 })),
    ),
  ]);
});
afterAll(async () => {
  await dispatcher.stop();
  await gateway.stop();
});
beforeEach(() => {
  received.length = 0;
  refusal = undefined;
  secretOfPut = "whs_first";
});

const path = (rest = "", id = merchantId) => `/operator/merchants/${id}/webhook${rest}`;
const put = (id = merchantId, body: object = { url: "https://shop.example/hook" }) =>
  gateway.operatorApi({ method: "PUT", path: path("", id), body: JSON.stringify(body) });
const post = (to: string, body?: object) =>
  gateway.operatorApi({ method: "POST", path: to, ...(body && { body: JSON.stringify(body) }) });

test("webhooks turned on: 201 with the secret, which crosses the bus sealed; a change of URL: 200 without one", async () => {
  const overheard: string[] = [];
  const bus = await connectBus({ url: gateway.nats.url, name: "test-ear" });
  bus.nats.subscribe(">", { callback: (_error, message) => void overheard.push(message.string()) });
  await bus.nats.flush();
  const created = await put();
  expect(created.status).toBe(201);
  expect(created.body).toEqual({ url: "https://shop.example/hook", secret: "whs_first" });
  expect(received).toMatchObject([
    { name: "put", operator: { name: "olga" }, payload: { merchantId, url: "https://shop.example/hook" } },
  ]);
  await bus.nats.flush();
  expect(overheard.length).toBeGreaterThan(1);
  expect(overheard.join()).not.toContain("whs_first");
  await bus.close(1_000);

  secretOfPut = undefined;
  const changed = await put();
  expect(changed.status).toBe(200);
  expect(changed.body).toEqual({ url: "https://shop.example/hook" });
});

test("a merchant that does not exist gets no webhooks, and the dispatcher is not asked", async () => {
  for (const id of [randomUUID(), "no-uuid"]) expectProblem(await put(id), "merchant_not_found");
  expect(received).toEqual([]);
});

test("a URL that may not be called is told field by field", async () => {
  const errors = [{ field: "url", code: "not_https" as const, message: "must begin with https://" }];
  refusal = { outcome: "problem", code: "validation_failed", extra: { errors } };
  expectProblem(await put(), "validation_failed", { errors });
  const missing = await put(merchantId, {});
  expectProblem(missing, "validation_failed", {
    errors: [{ field: "url", code: "required", message: "is required" }],
  });
});

test("rotation shows the new secret once; activation, test and removal answer as the contract says", async () => {
  const rotated = await post(path("/rotate-secret"));
  expect(rotated).toMatchObject({
    status: 200,
    body: { secret: "whs_new", activatesAt: "2026-11-21T12:00:00.000Z" },
  });
  expect(await post(path("/activate-secret"))).toMatchObject({ status: 204, text: "" });
  expect(await post(path("/test"))).toMatchObject({
    status: 200,
    body: { eventId, delivered: false, error: "tls", durationMs: 7 },
  });
  expect(await gateway.operatorApi({ method: "DELETE", path: path() })).toMatchObject({
    status: 204,
    text: "",
  });
  expect(received.map(({ name }) => name)).toEqual(["rotate", "activate", "test", "remove"]);
  for (const { payload } of received) expect(payload).toMatchObject({ merchantId, endpointId: merchantId });
});

test("a merchant without webhooks is a 404 everywhere", async () => {
  refusal = { outcome: "problem", code: "webhook_not_found" };
  for (const rest of ["/rotate-secret", "/activate-secret", "/test"]) {
    expectProblem(await post(path(rest)), "webhook_not_found");
    expectProblem(await post(path(rest, "no-uuid")), "webhook_not_found");
  }
  expectProblem(await gateway.operatorApi({ method: "DELETE", path: path() }), "webhook_not_found");
});

test("the delivery log takes filters and a page, and refuses what is none", async () => {
  const list = (query: string) => gateway.operatorApi({ path: `/operator/webhook-deliveries${query}` });
  expect(await list("")).toMatchObject({ status: 200, body: { items: [delivery], nextCursor: "abc" } });
  await list(`?merchantId=${merchantId}&status=failed&limit=7&cursor=abc`);
  expect(received.map(({ payload }) => payload)).toEqual([
    { livemode: true, limit: 50 },
    { merchantId, livemode: true, status: "failed", limit: 7, cursor: "abc" },
  ]);
  await list("?hide=skipped");
  expect(received.at(-1)!.payload).toEqual({ livemode: true, hide: "skipped", limit: 50 });
  const invalid = ["?status=lost", "?hide=all", "?limit=0", "?limit=201", "?merchantId=x", "?paymentId=x"];
  for (const query of invalid) {
    expect((await list(query)).body).toMatchObject({ code: "validation_failed" });
  }
});

test("one delivery, and sending again: 200 and 202, 404 for what there is not", async () => {
  const one = (id: string) => `/operator/webhook-deliveries/${id}`;
  expect(await gateway.operatorApi({ path: one(eventId) })).toMatchObject({
    status: 200,
    body: { ...delivery, endpoints: [], attempts: [] },
  });
  expect(await post(`${one(eventId)}/redeliver`)).toMatchObject({ status: 202, body: { queued: 1 } });
  const named = { endpointId: randomUUIDv7() };
  expect(await post(`${one(eventId)}/redeliver`, named)).toMatchObject({ status: 202 });
  expect(received.slice(1)).toMatchObject([
    { name: "redeliver", payload: { eventId } },
    { name: "redeliver", payload: { eventId, ...named } },
  ]);
  expect((await post(`${one(eventId)}/redeliver`, { endpointId: "all" })).status).toBe(400);
  const since = "2026-11-20T00:00:00+03:00";
  expect(await post(one("redeliver"), { merchantId, since })).toMatchObject({
    status: 202,
    body: { queued: 3 },
  });
  expect(received.at(-1)).toMatchObject({ name: "redeliver-failed", payload: { merchantId, since } });
  expect((await post(one("redeliver"), { merchantId, since: "yesterday" })).body).toMatchObject({
    code: "validation_failed",
  });

  refusal = { outcome: "problem", code: "delivery_not_found" };
  for (const id of [eventId, "no-uuid"]) {
    expectProblem(await gateway.operatorApi({ path: one(id) }), "delivery_not_found");
    expectProblem(await post(`${one(id)}/redeliver`), "delivery_not_found");
  }
});

test("the body of a webhook is for operations, and 404 where there is none", async () => {
  const body = (id: string, role: string) =>
    gateway.operatorApi({ path: `/operator/webhook-deliveries/${id}/body`, role });
  expect(await body(eventId, "operations")).toMatchObject({
    status: 200,
    body: { eventId, body: '{"orderId":"A-1"}', bytes: 17 },
  });
  expect(received).toMatchObject([{ name: "body", payload: { eventId } }]);
  for (const role of ["viewer", "approver"]) expectProblem(await body(eventId, role), "forbidden");
  refusal = { outcome: "problem", code: "delivery_not_found" };
  for (const id of [eventId, "no-uuid"]) expectProblem(await body(id, "admin"), "delivery_not_found");
});

test("viewers read, admins do the rest, nobody without a token", async () => {
  const reads = ["/operator/webhook-deliveries", `/operator/webhook-deliveries/${eventId}`];
  const writes: [string, string][] = [
    ["PUT", path()],
    ["DELETE", path()],
    ["POST", path("/rotate-secret")],
    ["POST", path("/activate-secret")],
    ["POST", path("/test")],
    ["POST", `/operator/webhook-deliveries/${eventId}/redeliver`],
    ["POST", "/operator/webhook-deliveries/redeliver"],
  ];
  for (const to of reads) {
    expect((await gateway.operatorApi({ path: to, role: "viewer" })).status).toBe(200);
    expect((await gateway.operatorApi({ path: to, role: null })).status).toBe(401);
  }
  received.length = 0;
  for (const [method, to] of writes) {
    for (const role of ["viewer", "approver"]) {
      expectProblem(await gateway.operatorApi({ method, path: to, role, body: "{}" }), "forbidden");
    }
    expect((await gateway.operatorApi({ method, path: to, role: null, body: "{}" })).status).toBe(401);
  }
  expect(received).toEqual([]);
});

test("a dispatcher that is not there: nothing was started; one that gives no answer: the outcome is not known", async () => {
  refusal = { outcome: "not_started" };
  expectProblem(await put(), "service_unavailable");
  refusal = { outcome: "in_doubt" };
  expectProblem(await put(), "outcome_unknown");
  expectProblem(await gateway.operatorApi({ path: "/operator/webhook-deliveries" }), "service_unavailable");
});
