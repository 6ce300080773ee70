import { randomUUIDv7 } from "node:crypto";
import { operations, type CommandReply, type SealedReply, type WebhookEndpoint } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { createReplyRecipient, sealReply } from "@holdfast/sealing";
import { serveCommands } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectProblem } from "../../test/problems.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";

const endpointId = randomUUIDv7();
const endpoint: WebhookEndpoint = {
  endpointId,
  default: false,
  url: "https://books.example/hook",
  events: ["payment.status_changed"],
  headers: [{ name: "x-tenant" }],
  version: 1,
  enabled: true,
  createdAt: "2026-11-20T12:00:00.000Z",
  secretVersion: 1,
  health: { breaker: "closed" },
};
const activatesAt = "2026-11-21T12:00:00.000Z";
const hours = { items: [{ hour: activatesAt, sent: 1, answered: 1, failed: [], p50Ms: 64, p95Ms: 64 }] };

let gateway: TestGateway;
let merchant: Awaited<ReturnType<TestGateway["createMerchant"]>>;
let dispatcher: Awaited<ReturnType<typeof serveCommands>>;
/** The dispatcher's key, to which headers are sealed. */
const dispatcherKey = createReplyRecipient();
const received: Record<string, unknown>[] = [];
/** The answer of the simulated dispatcher, instead of its usual one. */
let refusal: CommandReply<never> | undefined;

beforeAll(async () => {
  gateway = await startTestGateway();
  merchant = await gateway.createMerchant();
  type Asked = { context: { merchant: { merchantId: string } }; payload: Record<string, unknown> };
  const answer = async <Result>({ context, payload }: Asked, result: Result) => {
    received.push({ ...payload, merchantId: context.merchant.merchantId });
    return refusal ?? { outcome: "done" as const, result };
  };
  dispatcher = await serveCommands(gateway.nats.url, "webhooks", [
    handler(operations.listWebhooks.command, async () => ({
      outcome: "done",
      result: { items: [endpoint], managedBy: "api" as const, sealTo: dispatcherKey.publicKey },
    })),
    handler(operations.createWebhook.command, (asked) =>
      answer(asked, { endpoint, secret: sealReply(asked.payload.recipientKey, "whs_books") }),
    ),
    handler(operations.changeWebhook.command, (asked) => answer(asked, endpoint)),
    handler(operations.removeWebhook.command, (asked) => answer(asked, {})),
    handler(operations.rotateWebhookSecret.command, (asked) =>
      answer(asked, { secret: sealReply(asked.payload.recipientKey, "whs_books"), activatesAt }),
    ),
    handler(operations.activateWebhookSecret.command, (asked) => answer(asked, {})),
    handler(operations.getWebhookHealth.command, (asked) => answer(asked, hours)),
  ]);
});
afterAll(async () => {
  await dispatcher.stop();
  await gateway.stop();
});
beforeEach(() => {
  received.length = 0;
  refusal = undefined;
});

const call = (method: string, rest = "", body?: object) =>
  gateway.merchantApi({
    method,
    path: `/api/webhooks${rest}`,
    headers: { ...merchant.headers, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const headers = [{ name: "x-tenant", value: "shop-7" }];

test("a merchant's key lists, adds, changes and removes endpoints, and rotates their secret", async () => {
  const { url } = endpoint;
  const listed = await call("GET");
  expect(listed).toMatchObject({ status: 200, body: { items: [endpoint], managedBy: "api" } });
  expect(listed.body).not.toHaveProperty("sealTo");
  expect(await call("POST", "", { url, headers })).toMatchObject({
    status: 201,
    body: { ...endpoint, secret: "whs_books" },
  });
  expect(await call("PATCH", `/${endpointId}`, { headers, events: ["payment.captured"] })).toMatchObject({
    status: 200,
    body: endpoint,
  });
  expect(await call("POST", `/${endpointId}/rotate-secret`)).toMatchObject({
    status: 200,
    body: { secret: "whs_books", activatesAt },
  });
  expect(await call("POST", `/${endpointId}/activate-secret`)).toMatchObject({ status: 204 });
  expect(await call("GET", `/${endpointId}/health`)).toMatchObject({ status: 200, body: hours });
  expect(await call("DELETE", `/${endpointId}`)).toMatchObject({ status: 204 });

  const { merchantId } = merchant;
  const one = { merchantId, endpointId };
  expect(received).toMatchObject([
    { merchantId, url, events: ["payment.status_changed"] },
    { ...one, events: ["payment.captured"] },
    one,
    one,
    one,
    one,
  ]);
  const [created, changed] = received.map(({ headers: sealed }) => sealed as SealedReply);
  expect(JSON.parse(dispatcherKey.open(created!))).toEqual({ for: merchantId, url, headers });
  expect(JSON.parse(dispatcherKey.open(changed!))).toEqual({ for: endpointId, url, headers });
  expect(JSON.stringify(received)).not.toContain("shop-7");
  expectProblem(await call("PATCH", `/${randomUUIDv7()}`, { headers }), "webhook_not_found");
});

test("a secret is kept for no repetition: each request under one Idempotency-Key is carried out", async () => {
  const body = JSON.stringify({ url: endpoint.url });
  const sent = { ...merchant.headers, "Content-Type": "application/json", "Idempotency-Key": "once" };
  for (const [path, request] of [
    ["/api/webhooks", { headers: sent, body }],
    [`/api/webhooks/${endpointId}/rotate-secret`, { headers: sent }],
  ] as const) {
    received.length = 0;
    for (const answer of [
      await gateway.merchantApi({ method: "POST", path, ...request }),
      await gateway.merchantApi({ method: "POST", path, ...request }),
    ]) {
      expect(answer).toMatchObject({ body: { secret: "whs_books" } });
      expect(answer.headers).not.toHaveProperty("idempotent-replayed");
    }
    expect(received).toHaveLength(2);
  }
  const kept = "select count(*)::int as keys from operator_key";
  const { owner } = gateway.database.urls.gateway;
  const { rows } = await withClient(owner, (client) => client.query(kept));
  expect(rows).toEqual([{ keys: 0 }]);
});

test("where its keys may not change endpoints, each change is a 403 of its own code", async () => {
  refusal = { outcome: "problem", code: "webhook_change_not_allowed" };
  for (const answer of [
    await call("POST", "", { url: endpoint.url }),
    await call("PATCH", `/${endpointId}`, { url: endpoint.url }),
    await call("DELETE", `/${endpointId}`),
    await call("POST", `/${endpointId}/rotate-secret`),
    await call("POST", `/${endpointId}/activate-secret`),
  ]) {
    expect(answer.status).toBe(403);
    expectProblem(answer, "webhook_change_not_allowed");
  }
});

test("a malformed change reaches nobody", async () => {
  for (const [path, body] of [
    ["", { url: endpoint.url, headers: [{ name: "Host", value: "other.example" }] }],
    ["", { headers }],
    [`/${endpointId}`, { enabled: true }],
  ] as const)
    expect(await call(path === "" ? "POST" : "PATCH", path, body)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  expectProblem(await call("PATCH", "/no-uuid", { events: ["payment.captured"] }), "webhook_not_found");
  expect((await gateway.merchantApi({ method: "DELETE", path: `/api/webhooks/${endpointId}` })).status).toBe(
    401,
  );
  expect(received).toEqual([]);
});
