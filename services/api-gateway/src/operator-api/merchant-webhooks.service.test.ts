import { randomUUIDv7 } from "node:crypto";
import {
  operations,
  type CommandReply,
  type FieldFault,
  type SealedReply,
  type WebhookEndpoint,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
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
  version: 1,
  enabled: true,
  createdAt: "2026-11-20T12:00:00.000Z",
  secretVersion: 1,
  health: { breaker: "closed" },
};
const tested = { eventId: randomUUIDv7(), delivered: true, statusCode: 204, durationMs: 7 };
const activatesAt = "2026-11-21T12:00:00.000Z";

let gateway: TestGateway;
let merchantId: string;
let dispatcher: Awaited<ReturnType<typeof serveCommands>>;
/** The key of the dispatcher, to which headers are sealed. */
const dispatcherKey = createReplyRecipient();
const received: Record<string, unknown>[] = [];
/** The answer of the simulated dispatcher, instead of its usual one. */
let refusal: CommandReply<never> | undefined;

beforeAll(async () => {
  gateway = await startTestGateway();
  ({ merchantId } = await gateway.createMerchant());
  const answer = async <Result>(payload: Record<string, unknown>, result: Result) => {
    received.push(payload);
    return refusal ?? { outcome: "done" as const, result };
  };
  const secretFor = ({ recipientKey }: { recipientKey: string }) => sealReply(recipientKey, "whs_books");
  dispatcher = await serveCommands(gateway.nats.url, "webhooks", [
    handler(operations.listMerchantWebhooks.command, ({ payload }) =>
      answer(payload, { items: [endpoint], managedBy: "staff" as const, sealTo: dispatcherKey.publicKey }),
    ),
    handler(operations.createMerchantWebhook.command, ({ payload }) =>
      answer(payload, { endpoint, secret: secretFor(payload) }),
    ),
    handler(operations.changeMerchantWebhook.command, ({ payload }) => answer(payload, endpoint)),
    handler(operations.removeMerchantWebhook.command, ({ payload }) => answer(payload, {})),
    handler(operations.rotateWebhookEndpointSecret.command, ({ payload }) =>
      answer(payload, { secret: secretFor(payload), activatesAt }),
    ),
    handler(operations.activateWebhookEndpointSecret.command, ({ payload }) => answer(payload, {})),
    handler(operations.testWebhookEndpoint.command, ({ payload }) => answer(payload, tested)),
    handler(operations.listWebhooks.command, ({ context }) =>
      answer(context.merchant, {
        items: [endpoint],
        managedBy: "staff" as const,
        sealTo: dispatcherKey.publicKey,
      }),
    ),
    handler(operations.testWebhook.command, ({ context, payload }) =>
      answer({ ...payload, merchantId: context.merchant.merchantId }, tested),
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
});

const call = (method: string, rest = "", body?: object, id = merchantId) =>
  gateway.operatorApi({
    method,
    path: `/operator/merchants/${id}/webhooks${rest}`,
    ...(body && { body: JSON.stringify(body) }),
  });

test("endpoints are listed, added with a secret that is shown once, changed, tried and turned off", async () => {
  const { url } = endpoint;
  expect(await call("GET")).toMatchObject({ status: 200, body: { items: [endpoint] } });
  expect(await call("POST", "", { url })).toMatchObject({
    status: 201,
    body: { ...endpoint, secret: "whs_books" },
  });
  const events = ["payment.captured", "refund.requested"];
  expect(await call("POST", "", { url, events })).toMatchObject({ status: 201 });
  expect(await call("PATCH", `/${endpointId}`, { events })).toMatchObject({ status: 200, body: endpoint });
  for (const switching of SWITCHINGS)
    expect(await call("PATCH", `/${endpointId}`, switching)).toMatchObject({ status: 200, body: endpoint });
  expect(await call("POST", `/${endpointId}/rotate-secret`)).toMatchObject({
    status: 200,
    body: { secret: "whs_books", activatesAt },
  });
  expect(await call("POST", `/${endpointId}/activate-secret`)).toMatchObject({ status: 204 });
  expect(await call("POST", `/${endpointId}/test`)).toMatchObject({ status: 200, body: tested });
  expect(await call("DELETE", `/${endpointId}`)).toMatchObject({ status: 204 });
  const one = { merchantId, endpointId };
  expect(received).toMatchObject([
    { merchantId },
    { merchantId, url, events: ["payment.status_changed"] },
    { merchantId, url, events },
    { ...one, events },
    ...SWITCHINGS.map((switching) => ({ ...one, ...switching })),
    one,
    one,
    one,
    one,
  ]);
});

const SWITCHINGS = [
  { enabled: false, whileOff: "wait" },
  { enabled: true, waiting: "discard" },
];

test.each([
  ["off without a choice", { enabled: false }, ["whileOff required"]],
  ["on without a choice", { enabled: true, url: endpoint.url }, ["waiting required"]],
  [
    "a choice for another way",
    { enabled: true, whileOff: "skip" },
    ["whileOff not_allowed", "waiting required"],
  ],
  ["a choice without switching", { waiting: "deliver", url: endpoint.url }, ["waiting not_allowed"]],
  ["a choice that there is not", { enabled: false, whileOff: "forget" }, ["whileOff invalid_value"]],
])("switching %s is a 400 that says so", async (_, given, expected) => {
  const { status, body } = await call("PATCH", `/${endpointId}`, given);
  expect([status, body["code"]]).toEqual([400, "validation_failed"]);
  expect((body["errors"] as FieldFault[]).map(({ field, code }) => `${field} ${code}`)).toEqual(expected);
  expect(received).toEqual([]);
});

test.each([
  [
    "an event that there is not",
    { url: endpoint.url, events: ["payment.imagined"] },
    "events.0 invalid_value",
  ],
  ["no event", { url: endpoint.url, events: [] }, "events too_small"],
  [
    "an event twice",
    { url: endpoint.url, events: ["refund.requested", "refund.requested"] },
    "events duplicate",
  ],
  ["no URL", { events: ["refund.requested"] }, "url required"],
  ["a field that nobody knows", { url: endpoint.url, secret: "whs_mine" }, "secret unknown_field"],
])("%s is a 400 that says so, and the dispatcher is not asked", async (_, given, fault) => {
  const { status, body } = await call("POST", "", given);
  expect([status, body["code"]]).toEqual([400, "validation_failed"]);
  const faults = (body["errors"] as FieldFault[]).map(({ field, code }) => `${field} ${code}`);
  expect(faults).toEqual([fault]);
  expect(received).toEqual([]);
});

test("what the dispatcher refuses, and who is not there, is said as the contract says", async () => {
  for (const code of ["webhook_url_in_use", "too_many_webhooks"] as const) {
    refusal = { outcome: "problem", code };
    const answer = await call("POST", "", { url: endpoint.url });
    expect(answer.status).toBe(409);
    expectProblem(answer, code);
  }
  refusal = { outcome: "problem", code: "webhook_not_found" };
  expectProblem(await call("PATCH", `/${endpointId}`, { url: endpoint.url }), "webhook_not_found");
  for (const rest of ["/rotate-secret", "/activate-secret", "/test"]) {
    expectProblem(await call("POST", `/${endpointId}${rest}`), "webhook_not_found");
  }
  expectProblem(await call("DELETE", "/no-uuid"), "webhook_not_found");
  received.length = 0;
  expectProblem(await call("GET", "", undefined, randomUUIDv7()), "merchant_not_found");
  expectProblem(await call("POST", "", { url: endpoint.url }, randomUUIDv7()), "merchant_not_found");
  expect(received).toEqual([]);
});

test("a merchant reads and tries its endpoints with its own credentials", async () => {
  const { merchantId: own, headers } = await gateway.createMerchant();
  const ask = (method: string, path: string) => gateway.merchantApi({ method, path, headers });
  expect(await ask("GET", "/api/webhooks")).toMatchObject({ status: 200, body: { items: [endpoint] } });
  expect(await ask("POST", `/api/webhooks/${endpointId}/test`)).toMatchObject({ status: 200, body: tested });
  expect(received).toMatchObject([{ merchantId: own }, { merchantId: own, endpointId }]);
  refusal = { outcome: "problem", code: "webhook_not_found" };
  for (const id of [endpointId, "no-uuid"]) {
    expectProblem(await ask("POST", `/api/webhooks/${id}/test`), "webhook_not_found");
  }
  expect((await gateway.merchantApi({ path: "/api/webhooks" })).status).toBe(401);
});

const header = (name: string, value = "shop-7") => ({ name, value });

test("headers cross the bus sealed to the dispatcher, for one endpoint, and are answered by their names", async () => {
  const { url } = endpoint;
  const headers = [header("X-Tenant"), header("authorization", "Basic c2hvcA==")];
  expect(await call("POST", "", { url, headers })).toMatchObject({ status: 201 });
  expect(await call("PATCH", `/${endpointId}`, { headers: [{ name: "x-tenant" }] })).toMatchObject({
    status: 200,
  });
  expect((await call("GET")).body).not.toHaveProperty("sealTo");
  const sent = received.flatMap(({ headers: sealed }) => (sealed ? [sealed as SealedReply] : []));
  expect(sent.map((each) => JSON.parse(dispatcherKey.open(each)) as unknown)).toEqual([
    { for: merchantId, url, headers: [header("x-tenant"), header("authorization", "Basic c2hvcA==")] },
    { for: endpointId, url, headers: [{ name: "x-tenant" }] },
  ]);
  expect(JSON.stringify(received)).not.toContain("c2hvcA==");
});

test.each<[string, object[], string]>([
  ["eleven headers", Array.from({ length: 11 }, (_, index) => header(`x-${index}`)), "headers too_big"],
  ["a header of HTTP", [header("Host")], "headers.0.name not_allowed"],
  ["a header of ours", [header("Holdfast-Signature")], "headers.0.name not_allowed"],
  ["a value with a line end", [header("x-tenant", "a\r\nb")], "headers.0.value invalid_characters"],
  ["a name in two cases", [header("x-tenant"), header("X-Tenant")], "headers.1.name duplicate"],
  ["a field that nobody knows", [{ ...header("x-tenant"), sealed: true }], "headers.0.sealed unknown_field"],
])("%s are refused on creation and on change, and the dispatcher is not asked", async (_, headers, fault) => {
  for (const answer of [
    await call("POST", "", { url: endpoint.url, headers }),
    await call("PATCH", `/${endpointId}`, { headers }),
  ]) {
    expect([answer.status, answer.body["code"]]).toEqual([400, "validation_failed"]);
    const faults = (answer.body["errors"] as FieldFault[]).map(({ field, code }) => `${field} ${code}`);
    expect(faults).toEqual([fault]);
  }
  expect(received).toEqual([]);
});
